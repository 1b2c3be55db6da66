# cdlsr(groups = ) beside abess (group.index) and grpsel (grSubset with local search) on 20 grouped
# regressions, half of them with two factors of 30 levels of noise: the error on new samples of
# least squares on the k groups that each selects, the true ones among them, and processor seconds.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/groups.R
# EXTRA=folder: a library with abess and grpsel. LIMIT=3: elapsed seconds of each proof.
if (nzchar(Sys.getenv("EXTRA"))) .libPaths(c(Sys.getenv("EXTRA"), .libPaths()))
source(file.path("bench", "common.R"))
machine_line()
limit <- as.numeric(Sys.getenv("LIMIT", "3"))

# sizes of the groups; columns correlate by rho within a group, by between^|g - h| across
problems <- data.frame(
  n = rep(c(100, 200, 300, 100, 500), each = 4), groups = rep(c(20, 50, 100, 200, 300), each = 4),
  k = rep(c(3, 5, 8, 5, 10), each = 4), rho = rep(c(0.3, 0.8), 10),
  between = rep(c(0.3, 0.3, 0.8, 0.8), 5), snr = rep(c(2, 0.5, 1, 0.3, 1), 4),
  factors = rep(c(0, 2), 10), seed = 1:20
)
new_samples <- 1000

grouped_regression <- function(row) {
  set.seed(row$seed)
  rows <- row$n + new_samples
  size <- sample(1:5, row$groups, replace = TRUE)
  group <- rep(seq_len(row$groups), size)
  shared <- matrix(rnorm(rows * row$groups), rows)
  for (g in seq_len(row$groups)[-1]) {
    shared[, g] <- row$between * shared[, g - 1] + sqrt(1 - row$between^2) * shared[, g]
  }
  own <- matrix(rnorm(rows * length(group)), rows)
  x <- sqrt(row$rho) * shared[, group] + sqrt(1 - row$rho) * own
  true <- round(seq(2, row$groups, length.out = row$k))
  signal <- drop(x[, group %in% true] %*% rnorm(sum(group %in% true)))
  noise <- var(signal) / row$snr
  for (f in seq_len(row$factors)) {
    x <- cbind(x, diag(30)[sample(30, rows, TRUE), -1])
    group <- c(group, rep(row$groups + f, 29))
  }
  old <- seq_len(row$n)
  list(x = x[old, ], y = signal[old] + rnorm(row$n, sd = sqrt(noise)), group = group, true = true,
    new = list(x = x[-old, ], mean = signal[-old], noise = noise)
  )
}

# by least squares on the chosen groups, on new samples, beyond the noise and in its unit
excess <- function(p, chosen) {
  if (length(chosen) == 0L) return(NA_real_)
  inside <- p$group %in% chosen
  mean(least_squares(p$x[, inside], p$y, p$new$x[, inside], p$new$mean)^2) / p$new$noise
}

solvers <- list(
  cdlsr = function(p, k) as.integer(selected(cdlsr(p$x, p$y, k, groups = p$group), groups = TRUE)),
  exact = function(p, k) {
    fit <- cdlsr(p$x, p$y, k, groups = p$group, solver = "exact", time_limit = limit)
    structure(as.integer(selected(fit, groups = TRUE)), gap = fit$gap)
  },
  abess = function(p, k) {
    fit <- abess::abess(p$x, p$y, support.size = k, group.index = p$group, num.threads = 1)
    beta <- as.matrix(fit$beta)
    unique(p$group[beta[, ncol(beta)] != 0])
  },
  grpsel = function(p, k) {
    fit <- suppressWarnings(grpsel::grpsel(p$x, p$y, p$group, local.search = TRUE, gmax = k))
    beta <- do.call(cbind, fit$beta)
    # an intercept leads the coefficients; the last set of k groups of the path
    sets <- lapply(seq_len(ncol(beta)), function(i) {
      unique(p$group[setdiff(which(beta[, i] != 0) - (nrow(beta) - length(p$group)), 0)])
    })
    as.integer(unlist(utils::tail(Filter(function(set) length(set) == k, sets), 1)))
  }
)
solvers <- solvers[c(TRUE, TRUE, installed("abess"), installed("grpsel"))]

table <- rows_of(seq_len(nrow(problems)), function(i) {
  row <- problems[i, ]
  p <- grouped_regression(row)
  found <- lapply(solvers, function(solver) {
    run <- timed(quiet(solver(p, row$k)), 1)
    list(error = excess(p, run$value), true = sum(run$value %in% p$true), seconds = run$cpu,
      gap = attr(run$value, "gap")
    )
  })
  each <- function(name) lapply(found, `[[`, name)
  data.frame(row[setdiff(names(row), "seed")], columns = ncol(p$x), each("error"),
    true = each("true"), gap = found$exact$gap, t = each("seconds")
  )
})
markdown(rounded(table))
for (name in setdiff(names(solvers), "exact")) {
  both <- !is.na(table[[name]])
  cat(sprintf(
    "\n%s: %d of %d sets of k groups; error %.3f, of cdlsr there %.3f; median seconds %.3f.\n",
    name, sum(both), nrow(table), mean(table[[name]][both]), mean(table$cdlsr[both]),
    median(table[[paste0("t.", name)]])
  ))
}
cat(sprintf("\nProved within %g s: %d of %d.\n", limit, sum(table$gap <= 1e-9), nrow(table)))
