# cdlsr: objective and processor time beside abess (family "mgaussian", fixed
# support size), the published table 2, proofs of optimality.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/cdlsr.R
source(file.path("bench", "common.R"))
machine_line()

# processor seconds, median of `repeats`, and the last value
processor_time <- function(expression, repeats = 3) {
  code <- substitute(expression)
  frame <- parent.frame()
  seconds <- numeric(repeats)
  for (i in seq_len(repeats)) {
    before <- proc.time()
    value <- suppressWarnings(eval(code, frame))
    seconds[i] <- sum((proc.time() - before)[1:2])
  }
  list(seconds = stats::median(seconds), value = value)
}

indicators <- function(y) {
  Y <- outer(y, sort(unique(y)), "==") + 0
  colnames(Y) <- paste0("c", seq_len(ncol(Y)))
  Y
}

# ||Yc - Xc W||^2 of a set, by QR
set_objective <- function(x, Y, set) {
  xc <- scale(x[, set, drop = FALSE], scale = FALSE)
  sum(qr.resid(qr(xc), scale(Y, scale = FALSE))^2)
}

abess_set <- function(fit) {
  which(rowSums(abs(as.matrix(fit$beta[[1]]))) > 0)
}

abess_fit <- function(x, Y, k) {
  abess::abess(x, Y, family = "mgaussian", support.size = k, num.threads = 1)
}

has_abess <- requireNamespace("abess", quietly = TRUE)

# the lowest objective that any search of this script, with up to 2000 random starts,
# has met
best_known <- list(
  SRBCT = c(9.62126, 4.67985, 1.26759), lung_discrete = c(28.0783, 17.3212, 7.99236),
  Isolet = c(1261.39, 1114.59, 932.975), ALLAML = c(1.54639, 0.444586, 0.0329584)
)

# processor milliseconds per call: median of runs of half a second in all, in turns
paired_times <- function(calls, rounds = 9) {
  once <- vapply(calls, function(call) system.time(call())[[1]], 0)
  repeats <- pmax(1, ceiling(0.06 / pmax(once, 1e-3)))
  times <- vapply(seq_len(rounds), function(round) {
    vapply(seq_along(calls), function(i) {
      time <- system.time(for (r in seq_len(repeats[i])) calls[[i]]())
      (time[[1]] + time[[2]]) / repeats[i]
    }, 0)
  }, numeric(length(calls)))
  1000 * apply(times, 1, stats::median)
}

real_data <- function() {
  cat("\n## Labelled sets, features standardised, indicator response\n\n")
  cat("| data | k | forward | fast | default | thorough | best of 20 starts | best known |",
    "abess | fast, ms | default, ms | no path, ms | thorough, ms | abess, ms |\n"
  )
  cat("|---|---:|", strrep("---:|", 12), "\n", sep = "")
  sizes <- c(5, 10, 20)
  for (name in names(best_known)) {
    data <- bench_data(name)
    varying <- apply(data$x, 2, stats::sd) > 0
    x <- scale(data$x[, varying] + 0)
    y <- factor(data$y)
    Y <- indicators(data$y)
    for (k in sizes) {
      calls <- list(
        function() cdlsr(x, y, k, search = "fast"), function() cdlsr(x, y, k),
        function() cdlsr(x, y, k, path = FALSE), function() cdlsr(x, y, k, search = "thorough"),
        if (has_abess) function() abess_fit(x, Y, k) else function() NULL
      )
      ends <- vapply(calls[c(1, 2, 4)], function(call) set_objective(x, Y, call()$selected), 0)
      set.seed(1)
      many <- utils::tail(cdlsr(x, y, k, starts = 20)$path$objective, 1)
      theirs <- if (has_abess) set_objective(x, Y, abess_set(calls[[5]]())) else NA
      forward <- utils::tail(calls[[2]]()$path$forward, 1)
      known <- best_known[[name]][match(k, sizes)]
      cat(sprintf("| %s | %d | %s | %s |\n", name, k,
        paste(sprintf("%.5g", c(forward, ends, many, known, theirs)), collapse = " | "),
        paste(sprintf("%.1f", paired_times(calls)), collapse = " | ")
      ))
    }
  }
}

# features with correlation rho^|i - j|, 10 true ones, 5 responses
simulated <- function(seed, rho, n = 200, d = 20000, c = 5, true = 10) {
  set.seed(seed)
  x <- matrix(rnorm(n * d), n)
  if (rho > 0) for (j in 2:d) x[, j] <- rho * x[, j - 1] + sqrt(1 - rho^2) * x[, j]
  set <- sort(sample(d, true))
  y <- x[, set] %*% matrix(rnorm(true * c), true)
  y <- y + matrix(rnorm(n * c), n) * stats::sd(y) / 2
  colnames(y) <- paste0("y", seq_len(c))
  list(x = x, y = y, set = set)
}

large_designs <- function(problems = 20) {
  cat("\n## Simulated: n = 200, d = 20000, 5 responses, 10 true features, k = 10\n\n")
  cat("| rho | seed | cdlsr | abess | hits cdlsr | hits abess | cdlsr s | no path s | abess s |\n")
  cat("|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
  for (i in seq_len(problems)) {
    rho <- c(0, 0.5, 0.9)[1 + i %% 3]
    data <- simulated(i, rho)
    ours <- processor_time(cdlsr(data$x, data$y, 10), 1)
    lean <- processor_time(cdlsr(data$x, data$y, 10, path = FALSE), 1)
    theirs <- if (has_abess) processor_time(abess_fit(data$x, data$y, 10), 1)
    other <- if (has_abess) abess_set(theirs$value)
    cat(sprintf("| %.1f | %d | %.6g | %.6g | %d | %d | %.3f | %.3f | %.3f |\n", rho, i,
      set_objective(data$x, data$y, ours$value$selected),
      if (has_abess) set_objective(data$x, data$y, other) else NA,
      sum(ours$value$selected %in% data$set), sum(other %in% data$set),
      ours$seconds, lean$seconds, if (has_abess) theirs$seconds else NA
    ))
  }
}

published_means <- function(runs = 1000) {
  cat(sprintf("\n## Sweeps from %d random sets on SRBCT beside table 2 of the paper\n\n", runs))
  cat("| k | mean | sd | published | difference / se for 40 runs |\n|---:|---:|---:|---|---:|\n")
  data <- bench_data("SRBCT")
  table <- list(c(1, 45.71, 4.1), c(5, 12.91, 2.1), c(10, 6.994, 1.0))
  set.seed(1)
  for (row in table) {
    fit <- cdlsr(data$x, factor(data$y), row[1], solver = "cd", start = "random", starts = runs)
    ends <- fit$runs$objective
    se <- sqrt(stats::var(ends) / 40 + row[3]^2 / 40)
    cat(sprintf("| %d | %.3f | %.3f | %.3f +- %.1f | %.2f |\n", row[1], mean(ends),
      stats::sd(ends), row[2], row[3], (mean(ends) - row[2]) / se
    ))
  }
}

others <- function() {
  cat("\n## Other solvers on SRBCT: refitted objective and processor seconds\n\n")
  cat("| k | cdlsr | pgd | pgd, best of 10 random | rpfs | rpfs, best of 10 | ipfs |\n")
  cat("|---:|---|---|---|---|---|---|\n")
  data <- bench_data("SRBCT")
  y <- factor(data$y)
  end <- function(run) {
    sprintf("%.4g (%.2f s)", utils::tail(run$value$path$objective, 1), run$seconds)
  }
  best <- function(solve, k, ...) {
    fits <- lapply(1:10, function(seed) {
      set.seed(seed)
      suppressWarnings(solve(data$x, y, k, ...))
    })
    sprintf("%.4g", min(vapply(fits, function(f) utils::tail(f$path$objective, 1), 0)))
  }
  for (k in c(5, 10)) {
    set.seed(1)
    cat(sprintf("| %d | %s | %s | %s | %s | %s | %s |\n", k,
      end(processor_time(cdlsr(data$x, y, k))), end(processor_time(pgd(data$x, y, k), 1)),
      best(pgd, k, start = "random"), end(processor_time(rpfs(data$x, y, k), 1)),
      best(rpfs, k), end(processor_time(ipfs(data$x, y, k), 1))
    ))
  }
}

proofs <- function() {
  cat("\n## solver = \"exact\"\n\n")
  cat("| data | k | objective | status | nodes | s |\n|---|---:|---:|---|---:|---:|\n")
  for (case in list(
    list("SRBCT", 2), list("SRBCT", 3), list("SRBCT", 4), list("ALLAML", 2),
    list("ALLAML", 3), list("GLIOMA", 3), list("warpPIE10P", 3), list("orlraws10P", 3),
    list("lung_discrete", 3), list("lung_discrete", 4), list("Isolet", 3), list("Isolet", 4)
  )) {
    data <- bench_data(case[[1]])
    proof_row(case[[1]], data$x, factor(data$y), case[[2]])
  }
  set.seed(1)
  for (name in c("ALLAML", "GLIOMA", "orlraws10P")) {
    x <- bench_data(name)$x
    for (c in c(1, 2, 4)) {
      proof_row(sprintf("%s, noise, c = %d", name, c), x,
        matrix(stats::rnorm(nrow(x) * c), nrow(x)), 3
      )
    }
  }
  x <- matrix(stats::rnorm(100 * 20000), 100)
  proof_row("noise 100 x 20000, 3 true features", x, x[, 1:3] %*% c(1, 1, -1) +
    stats::rnorm(100), 3
  )
}

# where all sets can be bounded at once: a ridge, or more samples than features
bounds <- function() {
  cat("\n## solver = \"exact\", time limit 10 s: a ridge, or n > d\n\n")
  cat("| data | k | objective | status | nodes | s |\n|---|---:|---:|---|---:|---:|\n")
  srbct <- bench_data("SRBCT")
  for (ridge in c(0.1, 1, 10, 82)) {
    for (k in c(4, 5, 10)) {
      proof_row(sprintf("SRBCT, ridge %g", ridge), srbct$x, factor(srbct$y), k, ridge, 10)
    }
  }
  for (name in c("Isolet", "USPS")) {
    data <- bench_data(name)
    for (k in c(4, 5, 10)) {
      proof_row(name, data$x, factor(data$y), k, 0, 10)
      proof_row(paste0(name, ", class 1"), data$x, (data$y == 1) + 0, k, 0, 10)
    }
  }
}

# features that depend on those selected: genes of single cells, and k next to n
dependent <- function() {
  cat("\n## Features that nearly depend on those selected\n\n")
  cat("| data | k | search | objective | s |\n|---|---:|---:|---:|---:|\n")
  cells <- bench_data("panc8_small")
  total <- Matrix::rowSums(cells$x)
  cells$x@x <- log2(1 + cells$x@x / (total / mean(total))[cells$x@i + 1L])
  faces <- bench_data("orlraws10P")
  for (case in list(list(cells, 50), list(cells, 100), list(faces, 98), list(faces, 99))) {
    for (search in c("fast", "standard")) {
      run <- processor_time(suppressWarnings(
        cdlsr(case[[1]]$x, factor(case[[1]]$y), case[[2]], search = search)
      ), 1)
      cat(sprintf("| %s | %d | %s | %.6g | %.2f |\n", case[[1]]$name, case[[2]], search,
        utils::tail(run$value$path$objective, 1), run$seconds
      ))
    }
  }
}

proof_row <- function(name, x, y, k, ridge = 0, limit = 60) {
  fit <- suppressWarnings(
    cdlsr(x, y, k, solver = "exact", time_limit = limit, ridge = ridge)
  )
  cat(sprintf("| %s | %d | %.6g | %s | %.3g | %.2f |\n", name, k,
    utils::tail(fit$path$objective, 1), fit$status, fit$proof$nodes,
    fit$proof$seconds
  ))
}

# what the search beyond the exchanges gives, on data that were not used to choose it
search_part <- function() {
  cat("\n## The search beyond the exchanges\n\n| data | k | fast | default | ratio |")
  cat(" fast, s | default, s |\n|---|---:|---:|---:|---:|---:|---:|\n")
  rows <- NULL
  one <- function(name, x, y, k) {
    runs <- lapply(c("fast", "standard"), function(search) {
      processor_time(cdlsr(x, y, k, search = search, path = FALSE), 1)
    })
    f <- vapply(runs, function(run) utils::tail(run$value$objective, 1), 0)
    s <- vapply(runs, `[[`, 0, "seconds")
    cat(sprintf("| %s | %d | %.6g | %.6g | %.4f | %.3f | %.3f |\n", name, k, f[1], f[2],
      f[2] / f[1], s[1], s[2]
    ))
    rows <<- rbind(rows, c(f, pmax(s, 0.005)))
  }
  for (name in c("GLIOMA", "christensen", "west", "su", "nakayama", "zheng500", "pomeroy")) {
    data <- bench_data(name)
    for (k in c(5, 10, 20)) one(name, data$x + 0, factor(data$y), k)
  }
  for (file in list.files(file.path(shared_folder(), "data", "regression"), full.names = TRUE)) {
    data <- readRDS(file)
    x <- unname(as.matrix(data$x))
    if (ncol(x) > 20) for (k in c(5, 10)) one(data$name, x, as.numeric(data$y), k)
  }
  mean_ratio <- function(a, b) exp(mean(log(b / a)))
  cat(sprintf("\nGeometric means: objective %.4f, time %.2f; lower in %d of %d, higher in %d.\n",
    mean_ratio(rows[, 1], rows[, 2]), mean_ratio(rows[, 3], rows[, 4]),
    sum(rows[, 2] < rows[, 1] * (1 - 1e-9)), nrow(rows), sum(rows[, 2] > rows[, 1] * (1 + 1e-9))
  ))
}

chosen <- commandArgs(TRUE)
parts <- list(
  real = real_data, large = large_designs, published = published_means, others = others,
  proofs = proofs, bounds = bounds, dependent = dependent,
  search = search_part
)
for (name in if (length(chosen) > 0) chosen else names(parts)) parts[[name]]()
cat(sprintf("\npeak memory %.0f MB\n", peak_memory()))
