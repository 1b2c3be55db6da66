# cdlsr(groups = ) beside abess (group.index) and grpsel (grSubset with local search) on 20 grouped
# regressions: the residual sum of squares of least squares on the k groups that each selects,
# and processor seconds.
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
  between = rep(c(0.3, 0.3, 0.8, 0.8), 5), snr = rep(c(2, 0.5, 1, 0.3, 1), 4), seed = 1:20
)

grouped_regression <- function(row) {
  set.seed(row$seed)
  size <- sample(1:5, row$groups, replace = TRUE)
  group <- rep(seq_len(row$groups), size)
  shared <- matrix(rnorm(row$n * row$groups), row$n)
  for (g in seq_len(row$groups)[-1]) {
    shared[, g] <- row$between * shared[, g - 1] + sqrt(1 - row$between^2) * shared[, g]
  }
  own <- matrix(rnorm(row$n * length(group)), row$n)
  x <- sqrt(row$rho) * shared[, group] + sqrt(1 - row$rho) * own
  true <- round(seq(2, row$groups, length.out = row$k))
  inside <- group %in% true
  signal <- x[, inside, drop = FALSE] %*% rnorm(sum(inside))
  list(x = x, y = drop(signal + rnorm(row$n) * sqrt(var(drop(signal)) / row$snr)), group = group,
    true = true
  )
}

residual <- function(p, chosen) {
  if (length(chosen) == 0L) return(NA_real_)
  sum(stats::lm.fit(cbind(1, p$x[, p$group %in% chosen]), p$y)$residuals^2)
}

solvers <- list(
  cdlsr = function(p, k) {
    fit <- cdlsr(p$x, p$y, k, groups = p$group)
    sets <- lapply(fit$path$features, function(columns) unique(p$group[columns]))
    structure(as.integer(selected(fit, groups = TRUE)), sets = sets)
  },
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
    sets <- lapply(seq_len(ncol(beta)), function(i) {
      used <- which(beta[, i] != 0)
      # an intercept leads the coefficients
      unique(p$group[setdiff(used - (nrow(beta) - length(p$group)), 0)])
    })
    # the best of its path of each size
    by_size <- lapply(seq_len(k), function(size) {
      own <- Filter(function(set) length(set) == size, sets)
      if (length(own) > 0L) own[[which.min(vapply(own, function(set) residual(p, set), 0))]]
    })
    structure(as.integer(by_size[[k]]), sets = by_size)
  }
)
there <- c(TRUE, TRUE, requireNamespace("abess", quietly = TRUE),
  requireNamespace("grpsel", quietly = TRUE)
)
solvers <- solvers[there]

along <- logical() # is cdlsr at or below grpsel, at each size of its paths?
table <- rows_of(seq_len(nrow(problems)), function(i) {
  row <- problems[i, ]
  p <- grouped_regression(row)
  found <- lapply(solvers, function(solver) {
    run <- timed(quiet(solver(p, row$k)), 1)
    set <- run$value
    c(list(rss = residual(p, set), seconds = run$cpu), attributes(set)[c("gap", "sets")])
  })
  for (size in seq_along(found$grpsel$sets)) {
    theirs <- found$grpsel$sets[[size]]
    if (!is.null(theirs)) {
      own <- residual(p, found$cdlsr$sets[[size]])
      along <<- c(along, own <= residual(p, theirs) * (1 + 1e-9))
    }
  }
  share <- lapply(found, function(one) one$rss / sum((p$y - mean(p$y))^2))
  data.frame(row[setdiff(names(row), "seed")], columns = ncol(p$x), share,
    gap = found$exact$gap, t = lapply(found, `[[`, "seconds")
  )
})
markdown(rounded(table))
theirs <- setdiff(names(solvers), c("cdlsr", "exact"))
for (name in theirs) {
  both <- !is.na(table[[name]])
  text <- "\n%s: %d of %d sets of k groups; cdlsr at or below it on %d, below it on %d%s.\n"
  ours <- table$cdlsr[both]
  given <- table[[name]][both]
  cat(sprintf(text, name, sum(both), nrow(table), sum(ours <= given * (1 + 1e-9)),
    sum(ours < given * (1 - 1e-9)),
    sprintf("; median seconds %.3f, %.3f of cdlsr", median(table[[paste0("t.", name)]]),
      median(table$t.cdlsr)
    )
  ))
}
if (length(along) > 0L) {
  cat(sprintf("\ngrpsel, all %d sizes up to k on its paths: cdlsr at or below it on %d.\n",
    length(along), sum(along)
  ))
}
cat(sprintf("\nProved within %g s: %d of %d.\n", limit, sum(table$gap <= 1e-9), nrow(table)))
