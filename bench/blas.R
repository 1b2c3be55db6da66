# The same calls with OpenBLAS and with the reference BLAS, there with the products of the package
# and with those of the library. Writes bench/results/blas.md:
#   OPENBLAS_NUM_THREADS=1 Rscript bench/blas.R
# RUNS=5 is how often a call is made in a process, ROUNDS=3 the number of processes, by turns;
# tools/with-blas.sh finds the libraries.
source(file.path("bench", "common.R"))

sets <- c("COIL20", "orlraws10P")
methods <- c("bsufs", "dscofs", "css", "alignment")

call_of <- function(method, data) {
  x <- data$x
  m <- length(unique(data$y))
  k <- min(100, nrow(x) / 2)
  suppressWarnings(switch(method, bsufs = bsufs(x, m), dscofs = dscofs(x, 100, m),
    css = css(x, k, m = Inf), alignment = alignment(x, k = 50)
  ))
}

# in a process of its own: processor seconds of every call
measure <- function(runs) {
  for (set in sets) {
    data <- bench_data(set)
    for (method in methods) {
      for (i in seq_len(runs)) {
        spent <- sum(system.time(call_of(method, data))[1:2])
        cat(sprintf("cpu %s %s %.4f\n", set, method, spent))
      }
    }
  }
}

# elapsed seconds of proofs of few columns
measure_proofs <- function() {
  set.seed(1)
  x <- matrix(rnorm(200 * 6), 200) %*% matrix(rnorm(6 * 150, sd = 0.5), 6)
  x <- x + matrix(rnorm(200 * 150), 200)
  y <- drop(x[, 1:5] %*% rnorm(5)) + 3 * rnorm(200)
  elapsed <- function(code) system.time(suppressWarnings(code))[["elapsed"]]
  cat(sprintf("proofs %.2f %.2f %.2f\n",
    elapsed(fspca(x, k = 8, m = 2, solver = "exact", time_limit = 120)),
    elapsed(css(x, k = 5, m = 3, solver = "exact", time_limit = 120)),
    elapsed(cdlsr(x, y, k = 6, solver = "exact", time_limit = 120))
  ))
}

# the lines of `kind` that `script` prints, in a new process with one of the libraries
child <- function(kind, library, setting, arguments, env = character()) {
  code <- sprintf("options(rowsparse.blas = '%s'); commandArgs <- function(...) c(%s); %s",
    setting, paste(shQuote(arguments), collapse = ", "), "source('bench/blas.R')"
  )
  out <- system2("env", c(env, "bash", file.path("tools", "with-blas.sh"), library,
    file.path(R.home("bin"), "Rscript"), "-e", shQuote(code, "cmd")
  ), stdout = TRUE)
  strsplit(sub(paste0("^", kind, " "), "", grep(paste0("^", kind, " "), out, value = TRUE)), " ")
}

ways <- list(c("openblas", "auto"), c("reference", "auto"), c("reference", "blas"))
runs <- as.integer(Sys.getenv("RUNS", "5"))
rounds <- as.integer(Sys.getenv("ROUNDS", "3"))

methods_table <- function() {
  values <- do.call(rbind, lapply(seq_len(rounds), function(round) {
    do.call(rbind, lapply(seq_along(ways), function(way) {
      lines <- do.call(rbind, child("cpu", ways[[way]][1], ways[[way]][2], c("measure", runs)))
      data.frame(way, set = lines[, 1], method = lines[, 2], cpu = as.numeric(lines[, 3]))
    }))
  }))
  median_of <- function(set, method, way) {
    stats::median(values$cpu[values$set == set & values$method == method & values$way == way])
  }
  rows <- expand.grid(method = methods, set = sets, stringsAsFactors = FALSE)
  seconds <- t(mapply(function(set, method) {
    vapply(seq_along(ways), function(way) median_of(set, method, way), 0)
  }, rows$set, rows$method))
  markdown(data.frame(
    data = rows$set, method = rows$method, OpenBLAS = decimals(seconds[, 1]),
    reference = decimals(seconds[, 2]), ratio = decimals(seconds[, 2] / seconds[, 1], 1),
    "its own products" = decimals(seconds[, 3]),
    "ratio " = decimals(seconds[, 3] / seconds[, 1], 1), check.names = FALSE
  ))
}

proofs_table <- function() {
  threads <- c("1", "2")
  seconds <- t(vapply(threads, function(number) {
    env <- paste0("OPENBLAS_NUM_THREADS=", number)
    child("proofs", "openblas", "auto", "proofs", env)[[1]]
  }, character(3)))
  colnames(seconds) <- c("fspca()", "css()", "cdlsr()")
  markdown(cbind(OPENBLAS_NUM_THREADS = threads, seconds))
}

write_results <- function() {
  sink(file.path("bench", "results", "blas.md"))
  on.exit(sink())
  cat("# The BLAS underneath\n\n`OPENBLAS_NUM_THREADS=1 RUNS=", runs, " ROUNDS=",
    rounds, " Rscript bench/blas.R`  \n", sep = "")
  machine_line()
  cat("On a machine with two cores that others use, too.\n")
  cat("\n## Processor seconds, one thread\n\n")
  cat(sprintf("Medians of %d calls in %d processes each. ", runs, rounds))
  cat("reference: the reference BLAS, with the products\nof the package (`src/la/tiled.c`); ")
  cat("its own products: the same with those of the library.\n")
  methods_table()
  cat("\n## Proofs of few columns\n\nElapsed seconds of `fspca()`, `css()` and `cdlsr()` with ")
  cat("`solver = \"exact\"`, 200 x 150.\n")
  proofs_table()
}

arguments <- commandArgs(TRUE)
switch(c(arguments, "all")[1],
  all = write_results(), measure = measure(as.integer(arguments[2])), proofs = measure_proofs()
)
