# The same calls with OpenBLAS and with the reference BLAS, there with the products of the package
# and with those of the library. Writes bench/results/blas.md:
#   OPENBLAS_NUM_THREADS=1 Rscript bench/blas.R
# RUNS=5 is how often a call is made in a process, ROUNDS=3 the number of processes, by turns;
# tools/with-blas.sh finds the libraries. BEFORE=folder of a library with an older version adds
# its times to the table of threads. `Rscript bench/blas.R proofs` prints the table of proofs alone,
# BEFORE beside; `BUSY=true` keeps the cores busy meanwhile.
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

# elapsed and processor seconds of the random starts of cdlsr()
measure_threads <- function(threads) {
  set.seed(1)
  data <- bench_data("COIL20")
  spent <- vapply(seq_len(runs), function(i) {
    time <- system.time(suppressWarnings(cdlsr(data$x, factor(data$y), 50, starts = 20,
      control = rowsparse_control(threads = threads)
    )))
    c(time[["elapsed"]], sum(time[1:2]))
  }, numeric(2))
  middle <- apply(spent, 1, stats::median)
  cat(sprintf("threads %.1f/%.1f\n", middle[1], middle[2]))
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

# seconds by limit and threads; `env`: more settings of the environment
threads_seconds <- function(limits, env = character()) {
  outer(limits, 1:2, Vectorize(function(limit, threads) {
    name <- "OPENBLAS_NUM_THREADS"
    own <- if (limit == "not set") c("-u", name) else paste0(name, "=", limit)
    child("threads", "openblas", "auto", c("threads", threads), c(own, env))[[1]]
  }))
}

threads_table <- function() {
  limits <- c("1", "2", "not set")
  spent <- threads_seconds(limits)
  before <- Sys.getenv("BEFORE")
  if (nzchar(before)) {
    env <- paste0("R_LIBS=", before, ":", Sys.getenv("R_LIBS"))
    spent <- cbind(spent, threads_seconds(limits, env))
  }
  titles <- c("threads = 1", "threads = 2", "before: 1", "before: 2")[seq_len(ncol(spent))]
  markdown(stats::setNames(data.frame(limits, spent), c("OPENBLAS_NUM_THREADS", titles)))
}

# what `code` gives while three other processes keep the cores busy, where BUSY asks for them
busy <- function(code) {
  if (Sys.getenv("BUSY") == "true") {
    burner <- "Rscript -e 'repeat sum(rnorm(1e5))' >/dev/null 2>&1 & echo $!"
    others <- vapply(1:3, function(i) system(burner, intern = TRUE), "")
    on.exit(system2("kill", others))
  }
  code
}

proofs_table <- function() {
  before <- Sys.getenv("BEFORE")
  versions <- c("now", if (nzchar(before)) "before")
  rows <- expand.grid(threads = c("1", "2"), version = versions, stringsAsFactors = FALSE)
  seconds <- busy(t(mapply(function(threads, version) {
    env <- c(paste0("OPENBLAS_NUM_THREADS=", threads),
      if (version == "before") paste0("R_LIBS=", before, ":", Sys.getenv("R_LIBS"))
    )
    child("proofs", "openblas", "auto", "proofs-once", env)[[1]]
  }, rows$threads, rows$version)))
  markdown(data.frame(version = rows$version, OPENBLAS_NUM_THREADS = rows$threads,
    "fspca()" = seconds[, 1], "css()" = seconds[, 2], "cdlsr()" = seconds[, 3],
    check.names = FALSE
  ))
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
  cat("\n## Threads of the package and threads of OpenBLAS\n\n")
  cat("Elapsed/processor seconds (medians of ", runs, ") of ", sep = "")
  cat("`cdlsr(x, y, 50, starts = 20)`\non COIL20, by the `threads` of `rowsparse_control()`.\n")
  if (nzchar(Sys.getenv("BEFORE"))) cat("Before: OpenBLAS not held to one thread meanwhile.\n")
  threads_table()
  cat("\n## Proofs of few columns\n\nElapsed seconds of `fspca()`, `css()` and `cdlsr()` with ")
  cat("`solver = \"exact\"`, 200 x 150.\n")
  proofs_table()
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 0) {
  write_results()
} else if (arguments[1] == "measure") {
  measure(as.integer(arguments[2]))
} else if (arguments[1] == "proofs") {
  proofs_table()
} else if (arguments[1] == "proofs-once") {
  measure_proofs()
} else {
  measure_threads(as.integer(arguments[2]))
}
