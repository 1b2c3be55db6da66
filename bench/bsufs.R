# BSUFS: CPU seconds (medians; on one thread the elapsed time of an idle
# machine), objective, peak memory. The share of BLAS in the time:
#   perf record -g Rscript bench/bsufs.R real_data; perf report --sort dso
source(file.path("bench", "common.R"))
machine_line()

report <- function(label, fit, seconds, base, data_mb) {
  peak <- peak_memory()
  cat(sprintf(
    paste0(
      "%-28s %7.2f CPU s  %4d iterations  %-9s objective",
      " %-12.6g peak %.0f MB, +%.0f in the fit (data %.0f)\n"
    ),
    label, seconds, fit$iterations, fit$status, utils::tail(fit$objective, 1), peak, peak - base,
    data_mb
  ))
}

run <- function(label, x, m, repeats = 5, ...) {
  base <- reset_peak_memory()
  out <- timed(suppressWarnings(bsufs(x, m, ...)), repeats)
  report(label, out$value, out$cpu, base, as.numeric(utils::object.size(x)) / 2^20)
  invisible(out)
}

real_data <- function() {
  cat("\n## Real data, defaults (p = q = 1/2)\n")
  for (case in list(c("COIL20", 20), c("GLIOMA", 4), c("orlraws10P", 10), c("Isolet", 26))) {
    run(case[1], bench_data(case[1])$x, as.integer(case[2]))
  }
}

# seconds and objective of the three solvers of the step in W, same penalties
solvers <- function() {
  cat("\n## Solvers of the step in W on COIL20, m = 20\n")
  x <- bench_data("COIL20")$x
  first <- run("mm", x, 20)
  for (solver in c("rtr", "pencf")) {
    other <- run(solver, x, 20, repeats = 1, solver = solver)
    cat(sprintf("  %s takes %.1f times as long as mm\n", solver, other$cpu / first$cpu))
  }
}

against_reference <- function() {
  cat("\n## Against the published runs (objective difference in units of tr(S))\n")
  for (case in bench_reference("bsufs")) {
    x <- bench_data(case$data)$x
    trace <- sum(sweep(x, 2, colMeans(x))^2)
    for (start in list(NULL, case$W0)) {
      fit <- suppressWarnings(bsufs(x, case$m, case$lambda1, case$lambda2, case$p, case$q,
        case$beta1, case$beta2, normalize = FALSE, start = start
      ))
      cat(sprintf("%-30s %-8s %+.2e  %d iterations, %.2f s\n", case$case,
        if (is.null(start)) "default" else "W0",
        (utils::tail(fit$objective, 1) - case$objective) / trace, fit$iterations, fit$elapsed
      ))
    }
  }
}

# the products alone: `count` times X'(X W), by the BLAS calls of R
seconds_of_products <- function(x, m, count) {
  W <- matrix(rnorm(ncol(x) * m), ncol(x))
  sum(system.time(for (i in seq_len(count)) crossprod(x, x %*% W))[1:2])
}

wide <- function() {
  cat("\n## 1 000 x 50 000 dense, m = 10, 100 outer iterations\n")
  set.seed(1)
  x <- matrix(rnorm(1000 * 50000), 1000)
  x[, 1:200] <- x[, 1:200] + outer(rnorm(1000), rnorm(200))
  before <- seconds_of_products(x, 10, 50)
  out <- run("1 000 x 50 000 dense", x, 10, 1, control = rowsparse_control(tol = 0, maxit = 100))
  products <- before + seconds_of_products(x, 10, 50)
  cat(sprintf("100 products X'(X W): %.1f CPU s; the fit takes %.2f times as long\n", products,
    out$cpu / products
  ))
}

large <- function() {
  cat("\n## Large simulated sparse data, m = 10, 100 outer iterations\n")
  set.seed(1)
  x <- Matrix::rsparsematrix(20000, 20000, 0.01)
  run("20 000 x 20 000, 1% nonzero", x, 10, 1, control = rowsparse_control(tol = 0, maxit = 100))
}

arguments <- commandArgs(TRUE)
parts <- c("real_data", "solvers", "against_reference", "wide", "large")
if (length(arguments)) parts <- arguments
for (part in parts) get(part)()
