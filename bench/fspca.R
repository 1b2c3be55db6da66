# FSPCA: seconds, explained variance of Go and IPU; the exact search beside
# the enumeration of all sets.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/fspca.R
source(file.path("bench", "common.R"))
machine_line()

real_data <- function() {
  cat("\n## Real data (explained: share of tr(S); random: mean of 5 sets)\n")
  cases <- list(c("lung_discrete", 7), c("GLIOMA", 4), c("warpPIE10P", 10), c("Isolet", 26),
    c("COIL20", 20), c("orlraws10P", 10)
  )
  for (case in cases) {
    x <- bench_data(case[1])$x
    m <- as.integer(case[2])
    for (k in c(30, 100)) {
      go <- timed(fspca(x, k, m, "go"), 3)
      ipu <- timed(fspca(x, k, m, "ipu"), 3)
      set.seed(1)
      chance <- mean(replicate(5, {
        columns <- x[, sample(ncol(x), k)]
        sum(svd(sweep(columns, 2, colMeans(columns)), 0, 0)$d[seq_len(m)]^2)
      })) / sum(sweep(x, 2, colMeans(x))^2)
      cat(sprintf(
        "%-14s k = %3d  go %.4f in %.3f s CPU, ipu %.4f in %.3f s CPU (%d updates), random %.4f\n",
        case[1], k, go$value$captured, go$cpu, ipu$value$captured, ipu$cpu,
        ipu$value$iterations, chance
      ))
    }
  }
}

exact <- function() {
  cat("\n## Exact search: seconds, eigenproblems beside the number of sets, and IPU's loss\n")
  set.seed(1)
  for (size in list(c(12, 2, 5), c(20, 3, 6), c(30, 3, 6), c(40, 1, 5), c(100, 1, 3))) {
    d <- size[1]
    x <- matrix(rnorm(60 * d), 60) %*% diag(stats::runif(d, 0.3, 1.5))
    fit <- timed(fspca(x, size[3], size[2], "exact"), 1)
    loss <- 1 - fspca(x, size[3], size[2], "ipu")$captured / fit$value$captured
    line <- sprintf(paste0(
      "d = %3d, m = %d, k = %d: %6.2f s CPU, %.0f",
      " eigenproblems, %.0f sets, IPU %.2f%% below"
    ),
      d, size[2], size[3], fit$cpu, fit$value$nodes, choose(d, size[3]), 100 * loss
    )
    if (choose(d, size[3]) < 5e4) {
      S <- crossprod(sweep(x, 2, colMeans(x)))
      plain <- timed(max(utils::combn(d, size[3], function(rows) {
        sum(eigen(S[rows, rows], TRUE, TRUE)$values[seq_len(size[2])])
      })), 1)
      line <- sprintf("%s; enumeration in R %.2f s, difference %.0e", line, plain$cpu,
        plain$value + fit$value$objective
      )
    }
    cat(line, "\n")
  }
}

real_data()
exact()
