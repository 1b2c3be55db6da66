# Best subsets with a proof, cdlsr(solver = "exact"): processor seconds, or the gap of the residual
# that is left at the limit, beside OKRidge's figures where the reference data hold them.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/exact.R [table] [responses] [real] [path] [expect]
# LIMIT=60 sets the seconds of each proof.
source(file.path("bench", "common.R"))
machine_line()
limit <- as.numeric(Sys.getenv("LIMIT", "60"))
asked <- commandArgs(TRUE)
if (length(asked) == 0) asked <- c("table", "responses", "real", "path")

simulated <- function(n, d, k, rho, snr, seed, responses = 1L) {
  set.seed(seed)
  x <- autoregressive(n, d, rho)
  b <- matrix(0, d, responses)
  b[round(seq(1, d, length.out = k)), ] <- 1
  signal <- x %*% b
  y <- signal + rnorm(length(signal)) * sqrt(mean(apply(signal, 2, var)) / snr)
  list(x = scale(x), y = scale(y, scale = FALSE), k = k)
}

# objective, seconds, gap of the residual, nodes
proof_of <- function(x, y, k, ridge) {
  run <- timed(quiet(cdlsr(x, y, k,
    solver = "exact", ridge = ridge, scale = FALSE, time_limit = limit
  )), 1)
  fit <- run$value
  objective <- utils::tail(fit$objective, 1)
  xc <- scale(x, scale = FALSE)[, fit$selected, drop = FALSE]
  W <- solve(crossprod(xc) + diag(ridge, k), crossprod(xc, scale(y, scale = FALSE)))
  residual <- sum((scale(y, scale = FALSE) - xc %*% W)^2)
  gap <- max(0, objective - fit$bound) / residual
  proved <- fit$proof$complete
  list(
    objective = objective, seconds = run$cpu, proof_seconds = fit$proof$seconds,
    nodes = fit$proof$nodes, proved = proved,
    outcome = if (proved) decimals(run$cpu) else opened(gap)
  )
}

opened <- function(gap) sprintf("open %.1f%%", 100 * gap)

parts <- list()

parts$table <- function() {
  cat("\n## The cases of exact_cases.R\n")
  folder <- shared_folder()
  source(file.path(folder, "reference", "exact_cases.R"))
  cases <- exact_cases(file.path(folder, "data"))
  published <- read.csv(file.path(folder, "reference", "exact_okridge.csv"))
  cases[["6000 x 3000, k = 10, rho .5"]] <- c(simulated(6000, 3000, 10, .5, 5, 5), ridge = .1)
  markdown(rows_of(names(cases), function(name) {
    case <- cases[[name]]
    line <- proof_of(case$x, case$y, case$k, case$ridge)
    other <- published[published$case == name, ]
    proved <- other$gap_of_rss < 1e-6
    theirs <- ifelse(proved, decimals(other$cpu_seconds, 1), opened(other$gap_of_rss))
    data.frame(case = name, OKRidge = c(theirs, "none")[1], cdlsr = line$outcome,
      objective = decimals(line$objective, 4), nodes = line$nodes,
      "seconds of the proof" = decimals(line$proof_seconds), check.names = FALSE
    )
  }))
}

parts$responses <- function() {
  cat("\n## Three responses beside one\n")
  markdown(rows_of(c(.1, .5, .9), function(rho) {
    lines <- lapply(c(1L, 3L), function(responses) {
      g <- simulated(600, 300, 10, rho, 5, 1, responses)
      proof_of(g$x, g$y, 10, .1)
    })
    seconds <- vapply(lines, `[[`, 0, "proof_seconds")
    data.frame(design = sprintf("600 x 300, k = 10, rho %g", rho), one = lines[[1]]$outcome,
      three = lines[[2]]$outcome, ratio = decimals(seconds[2] / seconds[1], 1)
    )
  }))
}

parts$real <- function() {
  cat("\n## Real regressions, standardised columns, ridge .01 n\n")
  sets <- regressions()
  markdown(rows_of(names(sets), function(name) {
    x <- scale(unname(as.matrix(sets[[name]]$x)))
    x <- x[, is.finite(colSums(x)), drop = FALSE]
    y <- scale(as.matrix(sets[[name]]$y)[, 1])
    words <- vapply(c(5, 10), function(k) {
      if (k < ncol(x)) proof_of(x, y, k, .01 * nrow(x))$outcome else "-"
    }, "")
    data.frame(data = name, n = nrow(x), d = ncol(x),
      "k = 5" = words[1], "k = 10" = words[2], check.names = FALSE
    )
  }))
}

parts$path <- function() {
  cat("\n## All sizes up to 10 in one search\n")
  markdown(rows_of(c(.1, .5), function(rho) {
    g <- simulated(600, 300, 10, rho, 5, 1)
    single <- max(vapply(1:10, function(k) proof_of(g$x, g$y, k, .1)$seconds, 0))
    run <- timed(quiet(cdlsr(g$x, g$y, 1:10,
      solver = "exact", ridge = .1, scale = FALSE, time_limit = 10 * limit
    )), 1)
    data.frame(design = sprintf("600 x 300, rho %g", rho),
      "dearest size alone" = decimals(single), path = decimals(run$cpu),
      ratio = decimals(run$cpu / single, 1), proved = sum(run$value$path$proved),
      check.names = FALSE
    )
  }))
}

# 200 simulated problems
parts$expect <- function() {
  cat("\n## Where a proof can be expected\n\n")
  set.seed(99)
  grid <- data.frame(
    d = round(exp(runif(200, log(50), log(800)))), ratio = exp(runif(200, log(.4), log(10))),
    k = sample(3:20, 200, TRUE), rho = runif(200, 0, .95), snr = exp(runif(200, log(.5), log(10)))
  )
  grid$n <- round(grid$d * grid$ratio)
  grid$ridge <- ifelse(grid$n <= grid$d, 10^runif(200, -2, 0) * grid$n, .1)
  grid$seconds <- vapply(seq_len(nrow(grid)), function(at) {
    one <- grid[at, ]
    g <- simulated(one$n, one$d, one$k, one$rho, one$snr, 7000 + at)
    line <- proof_of(g$x, g$y, one$k, one$ridge)
    if (line$proved) line$proof_seconds else Inf
  }, 0)
  stopifnot(limit > 10)
  classes <- c("1 s", "10 s", sprintf("%g s", limit), "open")
  grid$class <- cut(grid$seconds, c(-1, 1, 10, limit + 1, Inf), classes)
  write.csv(format(grid, digits = 4), file.path("bench", "results", "exact_expect.csv"),
    row.names = FALSE, quote = FALSE
  )
  cuts <- list(rho = c(0, .3, .6, .8, .95), k = c(2, 5, 10, 15, 20), ratio = c(0, 1, 2, 5, 10),
    snr = c(0, 1, 2, 5, 10)
  )
  for (name in names(cuts)) print(table(cut(grid[[name]], cuts[[name]]), grid$class, dnn = name))
}

for (part in asked) parts[[part]]()
