# local methods: time, objective and memory of udfs(), sogfs(), slap() and rne(). Writes
# bench/results/local_methods.md:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/local_methods.R
source(file.path("bench", "common.R"))

# one line of a table; memory: how far the peak rises above what was held before
fit_row <- function(label, expression, repeats = 1) {
  before <- reset_peak_memory()
  run <- timed(suppressWarnings(eval(expression)), repeats)
  fit <- run$value
  cat(sprintf("| %s | %s | %.2f | %.2f | %d | %s | %.5g -> %.5g | %.0f |\n", label,
    paste(fit$n, "x", fit$d), run$cpu, run$seconds, fit$iterations,
    if (fit$converged) "yes" else "no", fit$objective[1], utils::tail(fit$objective, 1),
    peak_memory() - before
  ))
  invisible(fit)
}

header <- function(title) {
  cat("\n## ", title, "\n\n", sep = "")
  cat("| call | data | processor s | elapsed s | iterations | converged | objective | MB |\n")
  cat("|---|---|---:|---:|---:|---|---|---:|\n")
}

sink(file.path("bench", "results", "local_methods.md"))
cat("# udfs, sogfs, slap and rne\n\n")
cat("`OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/local_methods.R`  \n")
machine_line()
cat("One thread, on a shared machine with two cores: elapsed seconds contain the work of\n")
cat("others. Objectives of sogfs are those at the lambda of the round, which changes. MB: rise\n")
cat("of the peak of resident memory in the call, beyond what the process held already.\n")

lung <- bench_data("lung_discrete")
coil <- bench_data("COIL20")
set.seed(1)
noise <- matrix(stats::rnorm(100 * 2000), 100)

header("udfs")
fit_row("udfs(x)", quote(udfs(noise)), 5)
fit_row("udfs(x)", quote(udfs(lung$x)), 5)
fit_row("udfs(x)", quote(udfs(coil$x)))

header("sogfs")
fit_row("sogfs(x)", quote(sogfs(lung$x)), 5)
fit_row("sogfs(x, m = 7, clusters = 7)", quote(sogfs(lung$x, m = 7, clusters = 7)), 5)
fit_row("sogfs(x)", quote(sogfs(noise)), 3)
fit_row("sogfs(x)", quote(sogfs(coil$x)))
fit_row("sogfs(x, m = 20, clusters = 20)", quote(sogfs(coil$x, m = 20, clusters = 20)))

header("slap")
fit_row("slap(x, y)", quote(slap(lung$x, factor(lung$y))), 5)
fit_row("slap(x, y)", quote(slap(coil$x, factor(coil$y))))

header("rne")
set.seed(1)
fit_row("rne(x, 50)", quote(rne(lung$x, 50)))
fit_row("rne(x, 50)", quote(rne(noise, 50)))
sink()
