# Best subsets with a proof, cdlsr(solver = "exact"): processor seconds, or the gap of the residual
# that is left at the limit, beside OKRidge's figures where the reference data hold them.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/exact.R [table] [responses] [random] [real] [expect] [path]
# LIMIT=60 sets the seconds of each proof.
source(file.path("bench", "common.R"))
machine_line()
limit <- as.numeric(Sys.getenv("LIMIT", "60"))
parts <- commandArgs(TRUE)
if (length(parts) == 0) parts <- c("table", "responses", "random", "real", "path")

autoregressive <- function(n, d, k, rho, snr, seed, responses = 1L) {
  set.seed(seed)
  x <- matrix(rnorm(n * d), n)
  for (j in seq_len(d)[-1]) x[, j] <- rho * x[, j - 1] + sqrt(1 - rho^2) * x[, j]
  b <- matrix(0, d, responses)
  b[round(seq(1, d, length.out = k)), ] <- 1
  signal <- x %*% b
  y <- signal + rnorm(length(signal)) * sqrt(mean(apply(signal, 2, var)) / snr)
  list(x = scale(x), y = scale(y, scale = FALSE), k = k)
}

# one line of a table: objective, seconds, gap of the residual, nodes
proof_of <- function(x, y, k, ridge, seconds = limit) {
  before <- proc.time()
  fit <- suppressWarnings(suppressMessages(cdlsr(x, y, k,
    solver = "exact", ridge = ridge, scale = FALSE, time_limit = seconds
  )))
  used <- sum((proc.time() - before)[1:2])
  objective <- utils::tail(fit$objective, 1)
  xc <- scale(x, scale = FALSE)[, fit$selected, drop = FALSE]
  W <- solve(crossprod(xc) + diag(ridge, k), crossprod(xc, scale(y, scale = FALSE)))
  residual <- sum((scale(y, scale = FALSE) - xc %*% W)^2)
  data.frame(
    objective = objective, seconds = used, proof_seconds = fit$proof$seconds,
    gap = max(0, objective - fit$bound) / residual, nodes = fit$proof$nodes,
    proved = fit$proof$complete
  )
}

outcome <- function(line) {
  if (line$proved) sprintf("%.2f", line$seconds) else sprintf("open %.1f%%", 100 * line$gap)
}

cases_file <- if (!is.null(shared_folder())) {
  file.path(shared_folder(), "reference", "exact_cases.R")
}

if ("table" %in% parts && length(cases_file) > 0 && file.exists(cases_file)) {
  cat("\n## The cases of exact_cases.R\n\n")
  source(cases_file)
  cases <- exact_cases(file.path(shared_folder(), "data"))
  published <- read.csv(file.path(shared_folder(), "reference", "exact_okridge.csv"))
  cat("| case | OKRidge | cdlsr | objective | nodes | seconds of the proof |\n")
  cat("|---|---:|---:|---:|---:|---:|\n")
  for (name in names(cases)) {
    case <- cases[[name]]
    line <- proof_of(case$x, case$y, case$k, case$ridge)
    other <- published[published$case == name, ]
    theirs <- if (nrow(other) == 0) {
      "none"
    } else if (other$gap_of_rss < 1e-6) {
      sprintf("%.1f", other$cpu_seconds)
    } else {
      sprintf("open %.0f%%", 100 * other$gap_of_rss)
    }
    cat(sprintf("| %s | %s | %s | %.4f | %.0f | %.2f |\n", name, theirs, outcome(line),
      line$objective, line$nodes, line$proof_seconds
    ))
  }
  g <- autoregressive(6000, 3000, 10, .5, 5, 5)
  line <- proof_of(g$x, g$y, 10, .1)
  cat(sprintf("| 6000 x 3000, k = 10, rho .5 | 22 (to 1e-4) | %s | %.4f | %.0f | %.2f |\n",
    outcome(line), line$objective, line$nodes, line$proof_seconds
  ))
}

if ("responses" %in% parts) {
  cat("\n## Three responses beside one\n\n| design | one | three | ratio |\n|---|---:|---:|---:|\n")
  for (rho in c(.1, .5, .9)) {
    one <- autoregressive(600, 300, 10, rho, 5, 1)
    three <- autoregressive(600, 300, 10, rho, 5, 1, responses = 3L)
    a <- proof_of(one$x, one$y, 10, .1)
    b <- proof_of(three$x, three$y, 10, .1)
    cat(sprintf("| 600 x 300, k = 10, rho %g | %s | %s | %.1f |\n", rho, outcome(a), outcome(b),
      b$proof_seconds / a$proof_seconds
    ))
  }
}

if ("random" %in% parts) {
  cat("\n## 30 regressions: other seeds, n from d/2 to 10 d\n\n")
  cat("| n | d | k | rho | SNR | ridge | outcome | nodes |\n")
  cat("|---:|---:|---:|---:|---:|---:|---:|---:|\n")
  set.seed(2024)
  designs <- data.frame(
    d = sample(c(100, 200, 300, 400), 30, TRUE), ratio = sample(c(.5, 1, 2, 5, 10), 30, TRUE),
    k = sample(c(10, 20), 30, TRUE), rho = sample(c(.1, .3, .5, .7, .9), 30, TRUE),
    snr = sample(c(1, 3, 5, 10), 30, TRUE)
  )
  proved <- 0
  for (at in seq_len(nrow(designs))) {
    one <- designs[at, ]
    n <- round(one$d * one$ratio)
    ridge <- if (n <= one$d) n / 10 else .1
    g <- autoregressive(n, one$d, one$k, one$rho, one$snr, 5000 + at)
    line <- proof_of(g$x, g$y, one$k, ridge)
    proved <- proved + line$proved
    cat(sprintf("| %d | %d | %d | %g | %g | %g | %s | %.0f |\n", n, one$d, one$k, one$rho, one$snr,
      ridge, outcome(line), line$nodes
    ))
  }
  cat(sprintf("\n%d of 30 proved within %g s.\n", proved, limit))
}

if ("real" %in% parts && !is.null(shared_folder())) {
  cat("\n## Real regressions, standardised columns, ridge .01 n\n\n")
  cat("| data | n | d | k = 5 | k = 10 |\n|---|---:|---:|---:|---:|\n")
  files <- list.files(file.path(shared_folder(), "data", "regression"), "[.]rds$",
    full.names = TRUE
  )
  counts <- c(0, 0)
  for (file in files) {
    data <- readRDS(file)
    x <- scale(unname(as.matrix(data$x)))
    x <- x[, is.finite(colSums(x)), drop = FALSE]
    y <- scale(as.matrix(data$y)[, 1])
    lines <- lapply(c(5, 10), function(k) if (k < ncol(x)) proof_of(x, y, k, .01 * nrow(x)))
    counts <- counts + vapply(lines, function(line) isTRUE(line$proved), NA)
    words <- vapply(lines, function(line) if (is.null(line)) "-" else outcome(line), "")
    name <- sub("[.]rds$", "", basename(file))
    cat(sprintf("| %s | %d | %d | %s | %s |\n", name, nrow(x), ncol(x), words[1], words[2]))
  }
  cat(sprintf("\nProved: %d with k = 5, %d with k = 10.\n", counts[1], counts[2]))
}

if ("path" %in% parts) {
  cat("\n## All sizes up to k in one search\n\n")
  cat("| design | sizes | dearest size alone | path | ratio | proved |\n")
  cat("|---|---|---:|---:|---:|---:|\n")
  for (rho in c(.1, .5)) {
    g <- autoregressive(600, 300, 10, rho, 5, 1)
    single <- vapply(1:10, function(k) proof_of(g$x, g$y, k, .1)$seconds, 0)
    before <- proc.time()
    fit <- suppressWarnings(cdlsr(g$x, g$y, 1:10,
      solver = "exact", ridge = .1, scale = FALSE, time_limit = 10 * limit
    ))
    used <- sum((proc.time() - before)[1:2])
    cat(sprintf("| 600 x 300, rho %g | 1 to 10 | %.2f | %.2f | %.1f | %d of 10 |\n", rho,
      max(single), used, used / max(single), sum(fit$path$proved)
    ))
  }
}

# where a proof can be expected: 200 simulated problems
if ("expect" %in% parts) {
  cat("\n## Where a proof can be expected\n\n")
  set.seed(99)
  grid <- data.frame(
    d = round(exp(runif(200, log(50), log(800)))), ratio = exp(runif(200, log(.4), log(10))),
    k = sample(3:20, 200, TRUE), rho = runif(200, 0, .95), snr = exp(runif(200, log(.5), log(10)))
  )
  grid$n <- round(grid$d * grid$ratio)
  grid$ridge <- ifelse(grid$n <= grid$d, 10^runif(200, -2, 0) * grid$n, .1)
  seconds <- vapply(seq_len(nrow(grid)), function(at) {
    one <- grid[at, ]
    g <- autoregressive(one$n, one$d, one$k, one$rho, one$snr, 7000 + at)
    line <- proof_of(g$x, g$y, one$k, one$ridge)
    if (line$proved) line$proof_seconds else Inf
  }, 0)
  stopifnot(limit > 10)
  classes <- c("1 s", "10 s", sprintf("%g s", limit), "open")
  grid$class <- cut(seconds, c(-1, 1, 10, limit + 1, Inf), classes)
  grid$seconds <- seconds
  write.csv(format(grid, digits = 4), file.path("bench", "results", "exact_expect.csv"),
    row.names = FALSE, quote = FALSE
  )
  cuts <- list(rho = c(0, .3, .6, .8, .95), k = c(2, 5, 10, 15, 20), ratio = c(0, 1, 2, 5, 10),
    snr = c(0, 1, 2, 5, 10)
  )
  for (name in names(cuts)) print(table(cut(grid[[name]], cuts[[name]]), grid$class, dnn = name))
}
