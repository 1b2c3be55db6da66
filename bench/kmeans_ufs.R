# K-means UFS: seconds against the truncated SVD alone, ADMM against the
# optimum, recovery of hidden shapes, clustering with the selected features.
# Parts: speed, solvers, large, sparse, gap, behaviour, recovery, draws,
# clustering.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/kmeans_ufs.R speed gap
#   OPENBLAS_NUM_THREADS=1 Rscript bench/kmeans_ufs.R clustering=Isolet
#   OPENBLAS_NUM_THREADS=1 Rscript bench/kmeans_ufs.R clustering=Isolet=300
# Seconds are processor seconds on one thread, so that other load counts less.
source(file.path("bench", "common.R"))
source(file.path("bench", "lib", "clustering.R"))
source(file.path("tests", "testthat", "helper-shapes.R"))
machine_line()

# least processor seconds of `repeats` runs after a first one, and the last value
processor <- function(run, repeats = 5) {
  if (repeats > 1) run()
  seconds <- numeric(repeats)
  for (i in seq_len(repeats)) seconds[i] <- sum(system.time(value <- run())[1:2])
  list(seconds = min(seconds), value = value)
}

bench_set <- function(name) {
  set <- bench_data(name)
  storage.mode(set$x) <- "double"
  list(x = set$x, y = set$y, clusters = length(unique(set$y)))
}

standardise <- function(x) {
  z <- scale(x)
  z[is.nan(z)] <- 0
  z
}

quiet_fit <- function(...) suppressWarnings(kmeans_ufs(...))

# how far the selected set is from the optimum of (8)
spectral_gap <- function(fit) {
  fit$objectives[["spectral_optimum"]] / fit$objectives[["spectral"]] - 1
}

# kmeans_ufs("exact") against standardising and decomposing by RSpectra, irlba,
# or this package, which is all that cannot be avoided
speed <- function() {
  cat("\n## exact, k = 50, and the truncated SVD alone (seconds)\n")
  cat("| data | n x d | clusters | exact | own SVD | scale + RSpectra | scale + irlba | route |\n")
  cat("|---|---|---:|---:|---:|---:|---:|---|\n")
  for (name in c("Isolet", "COIL20", "USPS", "pie", "warpPIE10P", "orlraws10P", "GLIOMA")) {
    set <- bench_set(name)
    fit <- processor(function() quiet_fit(set$x, 50, set$clusters))
    own <- processor(function() {
      data <- suppressWarnings(rowsparse:::as_data(set$x, TRUE))
      rowsparse:::truncated_svd(data, set$clusters)
    })
    others <- vapply(c("RSpectra", "irlba"), function(package) {
      if (!requireNamespace(package, quietly = TRUE)) return(NA_real_)
      processor(function() {
        z <- standardise(set$x)
        if (package == "irlba") irlba::irlba(z, set$clusters) else RSpectra::svds(z, set$clusters)
      })$seconds
    }, 0)
    cat(sprintf("| %s | %d x %d | %d | %.3f | %.3f (%.2f) | %.3f (%.2f) | %.3f (%.2f) | %s |\n",
      name, nrow(set$x), ncol(set$x), set$clusters, fit$seconds,
      own$seconds, fit$seconds / own$seconds, others[1], fit$seconds / others[1],
      others[2], fit$seconds / others[2], fit$value$svd$route
    ))
  }
  cat("In brackets: exact divided by it.\n")
}

solvers <- function() {
  cat("\n## The three solvers on Isolet, k = 100\n")
  set <- bench_set("Isolet")
  for (solver in c("exact", "admm", "alternate")) {
    set.seed(1)
    fit <- processor(function() quiet_fit(set$x, 100, 26, solver, starts = 20), 1)
    cat(sprintf("%-10s %6.2f s  %4d iterations  gap of (8) %.4f  (7) %.1f  (8) %.1f\n", solver,
      fit$seconds, fit$value$iterations, spectral_gap(fit$value),
      -fit$value$objectives[["clustering"]], -fit$value$objectives[["spectral"]]
    ))
  }
}

large <- function() {
  cat("\n## exact on 2 000 x 20 000 dense, 10 clusters, k = 50\n")
  set.seed(1)
  group <- rep_len(1:10, 2000)
  x <- matrix(rnorm(2000 * 20000), 2000)
  x[, 1:500] <- x[, 1:500] + matrix(rnorm(5000), 10)[group, ]
  base <- reset_peak_memory()
  fit <- processor(function() kmeans_ufs(x, 50, 10), 1)
  cat(sprintf("%.2f s (%s), %.0f MB beside the data; informative %d of 50, ACC %.3f\n",
    fit$seconds, fit$value$svd$route, peak_memory() - base, sum(fit$value$selected <= 500),
    clustering_accuracy(group, fit$value$cluster)
  ))
  if (requireNamespace("RSpectra", quietly = TRUE)) {
    cat(sprintf("scale + RSpectra: %.2f s\n",
      processor(function() RSpectra::svds(standardise(x), 10), 1)$seconds
    ))
  }
}

# 1 000 features are six times as frequent in one of ten groups
sparse_groups <- function(n, d, share = 0.02) {
  group <- rep_len(1:10, n)
  rows <- lapply(seq_len(d), function(j) {
    frequent <- j <= 1000 & group == 1 + j %% 10
    which(runif(n) < ifelse(frequent, 6 * share, share))
  })
  entries <- sum(lengths(rows))
  new("dgCMatrix",
    i = unlist(rows) - 1L, p = c(0L, cumsum(lengths(rows))), x = runif(entries, 1, 3),
    Dim = as.integer(c(n, d))
  )
}

sparse <- function() {
  cat("\n## exact on a 50 000 x 20 000 dgCMatrix, 2% nonzero, 10 clusters, k = 50\n")
  library(Matrix)
  set.seed(1)
  x <- sparse_groups(50000, 20000)
  base <- reset_peak_memory()
  fit <- processor(function() kmeans_ufs(x, 50, 10), 1)
  cat(sprintf("%.1f M entries: %.1f s (%s), peak %.0f MB (%.0f in the fit), informative %d of 50\n",
    length(x@x) / 1e6, fit$seconds, fit$value$svd$route, peak_memory(), peak_memory() - base,
    sum(fit$value$selected <= 1000)
  ))
}

gap <- function() {
  cat("\n## ADMM against the optimum of (8), k = 50, mu = 0.1\n")
  cat("| data | clusters | gap of admm | features in common | iterations |",
    "seconds admm | seconds exact |\n"
  )
  cat("|---|---:|---:|---:|---:|---:|---:|\n")
  sets <- c(
    "ALLAML", "COIL20", "GLIOMA", "Isolet", "lung_discrete", "orlraws10P", "pie", "SRBCT",
    "UMIST", "USPS_1000", "warpPIE10P"
  )
  for (name in sets) {
    set <- bench_set(name)
    exact <- processor(function() quiet_fit(set$x, 50, set$clusters))
    admm <- processor(function() quiet_fit(set$x, 50, set$clusters, "admm"), 1)
    cat(sprintf("| %s | %d | %.4f | %d | %d | %.2f | %.3f |\n", name, set$clusters,
      admm$value$gap, length(intersect(admm$value$selected, exact$value$selected)),
      admm$value$iterations, admm$seconds, exact$seconds
    ))
  }
}

# iterations and norm of V over mu, and the blow-up of the quadratic form
behaviour <- function() {
  cat("\n## Behaviour of the ADMM, k = 50, rho = 1.05\n")
  cat("| data | iterations, mu = 1e-4 ... 1 | largest change of ||V|| | gap |",
    "quadratic: largest ||V|| / sqrt(k) |\n|---|---|---:|---|---:|\n"
  )
  for (name in c("lung_discrete", "COIL20", "SRBCT", "USPS_1000")) {
    set <- bench_set(name)
    fits <- lapply(10^(-4:0), function(mu) {
      quiet_fit(set$x, 50, set$clusters, "admm", mu = mu)
    })
    few <- rowsparse_control(maxit = 200)
    quadratic <- quiet_fit(set$x, 50, set$clusters, "admm", form = "quadratic", control = few)
    cat(sprintf("| %s | %s | %.0e | %s | %.1e |\n", name,
      toString(vapply(fits, `[[`, 0L, "iterations")),
      max(vapply(fits, function(fit) max(abs(fit$v_norm - sqrt(50))), 0)),
      toString(sprintf("%.3f", vapply(fits, `[[`, 0, "gap"))),
      max(quadratic$v_norm) / sqrt(50)
    ))
  }
}

recovery <- function(seeds = 1:20) {
  cat("\n## Columns 4 and 5 among nine, matched noise, standardised, seeds",
    paste(range(seeds), collapse = " to "), "\n"
  )
  cat("| shape | data | alternate | exact | misses with a better (7) than columns 4, 5 |",
    "seconds |\n|---|---|---:|---:|---:|---:|\n"
  )
  cases <- data.frame(
    shape = c("diamond9", "dartboard", "two_spirals", "banana"),
    file = c("diamond9", "dartboard1", "2spiral", "banana"), clusters = c(9, 4, 2, 2)
  )
  for (i in seq_len(nrow(cases))) {
    for (source in c("simulated", "file")) {
      tried <- lapply(seeds, function(seed) {
        set.seed(seed)
        x <- if (source == "file") {
          hidden_shape(bench_data(cases$file[i]))
        } else {
          simulate_shapes(cases$shape[i])$x
        }
        recover(x, cases$clusters[i])
      })
      total <- Reduce(`+`, tried)
      cat(sprintf("| %s | %s | %d | %d | %d | %.2f |\n", cases$shape[i], source,
        total[["alternate"]], total[["exact"]], total[["better"]],
        total[["seconds"]] / length(seeds)
      ))
    }
  }
}

recover <- function(x, clusters) {
  fit <- processor(function() kmeans_ufs(x, 2, clusters, "alternate"), 1)
  exact <- quiet_fit(x, 2, clusters)
  found <- setequal(fit$value$selected, 4:5)
  shape <- if (!found) kmeans_ufs(x[, 4:5], 2, clusters, "alternate")$objectives[["clustering"]]
  c(
    alternate = found, exact = setequal(exact$selected, 4:5),
    better = !found && fit$value$objectives[["clustering"]] < shape, seconds = fit$seconds
  )
}

# many draws of the noise around the dartboard of the file
draws <- function(seeds = 1001:1150) {
  cat(sprintf("\n## Dartboard from the file, %d draws of the noise\n", length(seeds)))
  for (starts in c(20, 50)) {
    ends <- vapply(seeds, function(seed) {
      set.seed(seed)
      x <- hidden_shape(bench_data("dartboard1"))
      fit <- kmeans_ufs(x, 2, 4, "alternate", starts = starts)
      shape <- kmeans_ufs(x[, 4:5], 2, 4, "alternate")$objectives[["clustering"]]
      if (setequal(fit$selected, 4:5)) {
        "found"
      } else if (fit$objectives[["clustering"]] < shape) {
        "another pair is better in (7)"
      } else {
        "search failed"
      }
    }, "")
    counts <- table(ends)
    cat(sprintf("%d starts: %s\n", starts, paste(counts, names(counts), collapse = ", ")))
  }
}

# ACC and NMI of 20 k-means runs on the standardised selected features
clustering <- function(name = NULL, k = NULL) {
  if (is.null(name)) {
    for (name in c("warpPIE10P", "USPS_1000", "COIL20", "Isolet")) clustering(name)
    return(invisible())
  }
  cat(sprintf("\n## %s: ACC / NMI in %%, means of 20 repeats\n", name))
  set <- bench_set(name)
  z <- standardise(set$x)
  sizes <- if (is.null(k)) seq(50, min(300, ncol(z)), 50) else as.integer(k)
  score <- function(columns, random = 0) {
    set.seed(1)
    evaluate_features(columns, z, set$y, k = length(columns), repeats = 20, random = random)
  }
  show <- function(rows) sprintf("%.1f / %.1f", 100 * rows$acc_mean, 100 * rows$nmi_mean)
  cat("| k | exact | admm | alternate | random |\n|---:|---|---|---|---|\n")
  for (k in sizes) {
    set.seed(k)
    cells <- vapply(c("exact", "admm", "alternate"), function(solver) {
      show(score(quiet_fit(set$x, k, set$clusters, solver, starts = 20)$selected))
    }, "")
    random <- score(seq_len(k), random = 5)
    cat(sprintf("| %d | %s | %s |\n", k, paste(cells, collapse = " | "),
      show(random[random$method == "random", ])
    ))
  }
  cat("All features:", show(score(seq_len(ncol(z)))), "\n")
}

arguments <- commandArgs(TRUE)
all_parts <- c(
  "speed", "solvers", "large", "sparse", "gap", "behaviour", "recovery", "draws", "clustering"
)
parts <- if (length(arguments)) arguments else all_parts
for (part in strsplit(parts, "=")) do.call(part[1], as.list(part[-1]))
