# What the SPCA-PSD paper measures beside its curves (bench/papers/clusters.R PAPER=curves):
#   OPENBLAS_NUM_THREADS=1 Rscript bench/papers/spca_psd.R [part ...] [SETS=USPS] [STEP=2]
# SETS: of Table 3; STEP: of the exponents of Figure 8. Parts are kept and make spca_psd.rds.
source(file.path("bench", "papers", "common.R"))
source(file.path("bench", "papers", "grids.R"))

settings <- read_settings(list(SETS = "USPS,Isolet,pie", STEP = "1"))
own_file <- function(...) store_file("spca_psd", paste0(..., ".rds"))
data_of <- function(name) paper_data("curves", name)
pie_cell <- function(method) store_file("curves", "pie", paste0(method, ".rds"))
published <- function(x) spca_psd(x, 10, 10, solver = "paper")
robust <- function(x, model, lambda = 10, eta = 10, ...) {
  centre <- if (startsWith(model, "aw")) "adaptive" else "mean"
  spca_psd(x, lambda, if (centre == "mean") eta, "l21", centre, endsWith(model, "psd"),
    control = rowsparse_control(...))
}
last <- function(fit) utils::tail(fit$objective, 1)
history <- function(fit) data.frame(step = seq_along(fit$objective) - 1, objective = fit$objective)
at_penalties <- function(s) {
  given <- data_of(s$data)
  time <- system.time(fit <- quiet(spca_psd(given$x, s$lambda, s$eta, solver = s$solver)))
  acc <- mean(paper_runs(given$x, given$y, fit$ranking[1:100], 2)$acc)
  data.frame(seconds = sum(time[1:2]), steps = fit$iterations, objective = last(fit), acc = acc,
    scale = sum(scale(given$x, scale = FALSE)^2))
}

# CSPCA at lambda = eta = 10, a subgradient of all but its nuclear norm, and Algorithm 1
norms <- function(W) sqrt(rowSums(W^2)) + 1e-12
value <- function(x, W) sum(norms(x - x %*% W)) + 10 * (sum(norms(W)) + sum(svd(W, 0, 0)$d))
units <- function(R) R / norms(R)
slack <- function(x, W) {
  G <- 10 * units(W) - crossprod(x, units(x - x %*% W)) + 10 * diag(ncol(x))
  (G + t(G)) / 2
}
on_cone <- function(W) {
  pairs <- eigen((W + t(W)) / 2, TRUE)
  pairs$vectors %*% (pmax(pairs$values, 0) * t(pairs$vectors))
}
algorithm <- function(x, steps, D = diag(ncol(x)), S = crossprod(x), one = diag(ncol(x))) {
  vapply(seq_len(steps), function(step) {
    W <- on_cone((S - 5 * one) %*% solve(S + 10 * D + 5e-5 * mean(diag(S)) * one))
    D <<- diag(1 / (2 * sqrt(rowSums(W^2) + .Machine$double.eps)))
    sum((x - x %*% W)^2) + 10 * sum(norms(W)) + 10 * sum(diag(W))
  }, numeric(1))
}

parts <- alist(
  theorems = local({
    x <- scale(bench_data("lung_discrete")$x + 0, scale = FALSE)
    end <- function(tol) with(robust(x, "cspca", tol = tol, maxit = 2e4), tcrossprod(factor, right))
    free <- lapply(c(1e-5, 1e-12), end)
    cone <- tcrossprod(robust(x, "cspca_psd", tol = 1e-12, maxit = 2000)$factor)
    square <- function(v) tcrossprod(matrix(v, ncol(x)))
    end <- stats::optim(with(svd(cone, 72, 0), u %*% diag(sqrt(pmax(d[1:72], 1e-6)))),
      function(v) value(x, square(v)), function(v) 2 * slack(x, square(v)) %*% matrix(v, ncol(x)),
      method = "L-BFGS-B", control = list(maxit = 3000, factr = 1, lmm = 20))
    # by convexity; the trace of a better point is at most a tenth of the objective
    W <- square(end$par)
    bound <- sum(units(x - x %*% W) * x) + min(eigen(slack(x, W))$values, 0) * end$value / 10
    c(free = value(x, free[[1]]), free_tight = value(x, free[[2]]), paper = value(x, cone),
      projected = value(x, on_cone(free[[2]])), cone = end$value, cone_bound = bound,
      rises = sum(diff(algorithm(x, 32)) > 0))
  }),
  # above the least of the end, that of a tight run, W = 0 and the projector on the samples
  excess = each(function(s) {
    x <- if (s$data == "iris") iris[, 1:4] else bench_data(s$data)$x
    x <- widest(x[seq(1, nrow(x), length.out = s$n), ], if (s$n < 40) 80 else 40)
    x <- scale(x, scale = FALSE)
    W <- with(svd(x), tcrossprod(v[, d > 1e-9 * d[1]]))
    end <- function(...) last(quiet(robust(x, "cspca", s$lambda, s$eta, ...)))
    inside <- s$lambda * sum(norms(W)) + s$eta * sum(diag(W))
    ends <- c(end(), end(tol = 1e-12, maxit = 3000), sum(norms(x)), inside)
    above <- 100 * (ends[1] / c(min(ends[1:2]), min(ends)) - 1)
    data.frame(tight = above[1], above = above[2], best = which.min(ends))
  }, lambda = 10^seq(-8, 4, 2), eta = c(0, 10^seq(-8, 4, 4)), n = c(50, 30),
    data = c("lung_discrete", "USPS_1000", "GLIOMA", "Isolet", "iris")),
  descent = each(function(s) history(published(data_of(s$data)$x)), data = c("pie", "orlraws10P")),
  sizes = each(function(s) {
    given <- data_of("USPS")
    at <- round(seq(1, 9298, length.out = s$n))
    x <- given$x[at, ]
    time <- system.time(fit <- try(within_seconds(switch(s$method,
      cspca_psd = , aw_spca_psd = robust(x, s$method), spca_psd = published(x),
      spcafs = spcafs(x, 9, 10, 1 / 2, normalize = FALSE),
      paper_grids("curves", x, given$y[at])[[s$method]]$rank(data.frame(gamma = 10))
    ), 10), silent = TRUE))
    data.frame(seconds = if (inherits(fit, "try-error")) NA else sum(time[1:2]),
      steps = if (is.list(fit)) fit$iterations else NA)
  }, method = c("spca_psd", "cspca_psd", "aw_spca_psd", "spcafs", "udfs", "sogfs", "rne"),
    n = c(500, 2000, 9298)),
  # the published stop, a change of at most 1e-5, is 1e-5 / objective in relative terms
  table3 = each(function(s) {
    given <- data_of(s$data)
    run <- function(...) quiet(robust(given$x, s$method, ...))
    time <- system.time(fit <- run(tol = 1e-5 / last(run(maxit = 3)), maxit = s$most))
    runs <- paper_runs(given$x, given$y, fit$ranking[1:100], if (s$data == "USPS") 3 else 5)
    data.frame(as.list(colMeans(runs)), sd = as.list(sapply(runs, stats::sd)),
      seconds = sum(time[1:2]), history(fit))
  }, most = 200, method = c("cspca_psd", "aw_spca_psd", "cspca", "aw_spca"),
    data = listed(settings$SETS), file = own_file),
  grid = each(at_penalties, lambda = 10^seq(-4, 4, as.numeric(settings$STEP)),
    eta = 10^seq(-4, 4, as.numeric(settings$STEP)), solver = "paper",
    data = c("ALLAML", "Isolet"), file = own_file),
  exact = each(at_penalties, lambda = 10, eta = 1000, solver = c("exact", "paper"),
    data = c("ALLAML", "Isolet"), file = own_file),
  pixels = rbind(data.frame(method = "mean", pixel = colMeans(bench_data("pie")$x)),
    each(function(s) data.frame(pixel = readRDS(pie_cell(s$method))$ranking[1:100]),
      method = Filter(function(m) file.exists(pie_cell(m)), c("sogfs", "spcafs", "spca_psd"))))
)
write_parts(parts, intersect(commandArgs(TRUE), names(parts)), own_file, "spca_psd.rds")
