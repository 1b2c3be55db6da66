# SPCA-PSD: seconds, gap, memory; growth with d; the published iteration against
# the optimum.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/spca_psd.R [parts]
# Parts: speed, wide, growth, optimum, finding, path.
source(file.path("bench", "common.R"))
machine_line()

final <- function(fit) utils::tail(fit$objective, 1)

# the published iteration with d x d matrices in plain R: what it costs without
# the routes of the package; as many steps as `steps`
plain_r <- function(x, lambda, eta, steps) {
  x <- sweep(x, 2, colMeans(x))
  s <- crossprod(x)
  d <- ncol(x)
  ridge <- 5e-5 * mean(diag(s))
  norms <- rep(0.5, d)
  for (step in seq_len(steps)) {
    weights <- 1 / (2 * sqrt(norms^2 + .Machine$double.eps))
    half <- t(solve(s + diag(lambda * weights + ridge), s - diag(eta / 2, d)))
    pairs <- eigen((half + t(half)) / 2, symmetric = TRUE)
    keep <- pairs$values > 0
    factor <- pairs$vectors[, keep, drop = FALSE] %*% diag(sqrt(pairs$values[keep]), sum(keep))
    norms <- sqrt(rowSums((factor %*% crossprod(factor)) * factor))
  }
  norms
}

line <- function(label, out, megabytes) {
  fit <- out$value
  cat(sprintf("%-26s %-7s %7.2f s cpu %7.2f s  %3d iterations  rank %3d  gap %.1e  peak %5.0f MB\n",
    label, fit$parameters$solver, out$cpu, out$seconds, fit$iterations, fit$rank, fit$gap, megabytes
  ))
}

run <- function(label, x, repeats = 3, ...) {
  reset_peak_memory()
  out <- timed(suppressWarnings(spca_psd(x, ...)), repeats)
  line(label, out, peak_memory())
  invisible(out)
}

speed <- function() {
  cat("\n## Default parameters\n")
  sets <- c("lung_discrete", "Isolet", "GLIOMA", "ALLAML", "orlraws10P", "pie", "USPS", "COIL20")
  for (name in sets) {
    x <- bench_data(name)$x
    paper <- run(name, x, solver = "paper")
    run(name, x, solver = "exact")
    if (ncol(x) <= 1100) {
      p <- paper$value$parameters
      plain <- timed(plain_r(x, p$lambda, p$eta, paper$value$iterations), 1)
      cat(sprintf("  the same steps in plain R: %.2f s cpu, %.1f times as long\n", plain$cpu,
        plain$cpu / paper$cpu
      ))
    }
  }
}

simulate <- function(n, d) {
  set.seed(1)
  groups <- matrix(rnorm(8 * d), 8)
  matrix(rnorm(n * d), n) + groups[sample(8, n, TRUE), ] * rep(rexp(d), each = n)
}

wide <- function() {
  cat("\n## 200 samples, 50 000 features\n")
  x <- simulate(200, 50000)
  run("200 x 50 000", x, 1, solver = "paper")
  run("200 x 50 000", x, 1, solver = "exact")
}

growth <- function() {
  cat("\n## Growth with d, 100 samples, default parameters\n")
  sizes <- c(500, 1000, 2000, 4000, 8000, 16000, 32000)
  rows <- NULL
  for (d in sizes) {
    x <- simulate(100, d)
    for (kind in c("lowrank", "exact", if (d <= 2000) "dense")) {
      options(rowsparse.spca_route = if (kind == "exact") NULL else kind)
      solver <- if (kind == "exact") "exact" else "paper"
      out <- timed(suppressWarnings(spca_psd(x, solver = solver)), if (d <= 4000) 3 else 1)
      steps <- out$value$iterations
      rows <- rbind(rows, data.frame(d = d, kind = kind, iterations = steps, cpu = out$cpu,
        each = out$cpu / steps
      ))
      cat(sprintf("%6d %-8s %3d iterations %8.3f s cpu %8.4f s each\n", d, kind, steps, out$cpu,
        out$cpu / steps
      ))
    }
  }
  options(rowsparse.spca_route = NULL)
  for (kind in unique(rows$kind)) {
    part <- rows[rows$kind == kind, ]
    slope <- stats::coef(stats::lm(log(each) ~ log(d), part))[[2]]
    cat(sprintf("slope of seconds per iteration in d, %s: %.2f\n", kind, slope))
  }
  plot_growth(rows)
}

plot_growth <- function(rows) {
  file <- file.path("bench", "results", "spca_psd_growth.png")
  grDevices::png(file, 900, 450, res = 110)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1, 2), mar = c(4, 4, 1, 1))
  kinds <- unique(rows$kind)
  for (what in c("each", "iterations")) {
    graphics::plot(rows$d, rows[[what]],
      log = "xy", col = match(rows$kind, kinds), pch = match(rows$kind, kinds),
      xlab = "features d", ylab = if (what == "each") "seconds per iteration" else "iterations"
    )
    for (kind in kinds) {
      part <- rows[rows$kind == kind, ]
      graphics::lines(part$d, part[[what]], col = match(kind, kinds))
    }
  }
  graphics::legend("topleft", kinds, col = seq_along(kinds), pch = seq_along(kinds), bty = "n")
}

optimum <- function() {
  cat("\n## Certified optima\n")
  reference <- bench_reference("spca_psd_optimum")
  lung <- bench_data("lung_discrete")$x
  for (case in reference$cases) {
    p <- case$params
    x <- if (p$d == 60) t(reference$X[[1]]) else lung
    out <- timed(spca_psd(x, p$lambda, p$eta, solver = "exact"), 3)
    cat(sprintf(
      "%-22s %+.1e from the record, gap %.1e, %2d + %3d steps, %.3f s cpu (record: %.1f s)\n",
      case$case, final(out$value) / p$F_opt - 1, out$value$gap, out$value$iterations,
      out$value$inner_iterations, out$cpu, p$t_admm
    ))
  }
}

compare <- function(label, x, ...) {
  paper <- suppressWarnings(spca_psd(x, ..., solver = "paper"))
  exact <- suppressWarnings(spca_psd(x, ..., solver = "exact"))
  k <- min(50, ncol(x))
  common <- length(intersect(paper$ranking[1:k], exact$ranking[1:k]))
  top <- length(intersect(paper$ranking[1:10], exact$ranking[1:10]))
  cat(sprintf("%-36s %8.3f %% above, gap %.1e (exact %.1e), top 10 %2d, top %d %2d, rank %d %d\n",
    label, 100 * (final(paper) / final(exact) - 1), paper$gap, exact$gap, top, k, common,
    paper$rank, exact$rank
  ))
}

finding <- function() {
  cat("\n## How far the published iteration ends above the optimum\n")
  for (name in c("lung_discrete", "GLIOMA", "ALLAML", "orlraws10P", "Isolet")) {
    compare(paste0(name, ", default"), bench_data(name)$x)
  }
  reference <- bench_reference("spca_psd_optimum")
  for (case in reference$cases) {
    p <- case$params
    x <- if (p$d == 60) t(reference$X[[1]]) else bench_data("lung_discrete")$x
    compare(sprintf("d = %d, lambda %.4g, eta %.4g", p$d, p$lambda, p$eta), x,
      lambda = p$lambda, eta = p$eta
    )
  }
}

path <- function() {
  cat("\n## A path of 50 penalties, beside single fits\n")
  for (name in c("lung_discrete", "COIL20")) {
    x <- bench_data(name)$x
    for (solver in c("paper", "exact")) {
      cold <- timed(suppressWarnings(spca_psd(x, solver = solver)), 3)
      p <- cold$value$parameters
      grid <- 4 * p$lambda * 10^seq(0, -2, length.out = 50)
      out <- timed(suppressWarnings(rowsparse_path(x,
        method = "spca_psd", lambda = grid, eta = p$eta, solver = solver
      )), 1)
      cat(sprintf("%-14s %-6s one fit %.2f s, path %.2f s: %.1f fits; largest gap %.1e\n", name,
        solver, cold$cpu, out$cpu, out$cpu / cold$cpu, max(out$value$gap)
      ))
    }
  }
}

arguments <- commandArgs(TRUE)
every <- c("speed", "wide", "growth", "optimum", "finding", "path")
parts <- if (length(arguments)) arguments else every
for (part in parts) get(part)()
