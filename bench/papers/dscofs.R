# What the page of DSCOFS shows beside clustering: matrices, what the constraint on entries changes,
# and convergence, at the settings that bench/papers/clusters.R found best. Writes dscofs.rds.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/papers/dscofs.R
source(file.path("bench", "papers", "common.R"))
source(file.path("bench", "papers", "grids.R"))

four <- c("COIL20", "USPS_1000", "GLIOMA", "Isolet")

best_fit <- function(name, method) {
  given <- paper_data("tables", name)
  best <- best_setting(cell(name, method)$settings)
  quiet(dscofs(given$x, 100, length(unique(given$y)), best$alpha, best$mu, best$mu,
    normalize = FALSE, start = "random", seed = 1
  ))
}

pattern_of <- function(name, method) {
  fit <- best_fit(name, method)
  W <- abs(fit$loadings)
  list(shares = matrix(as.integer(round(255 * W / max(W))), nrow(W)), zero = mean(W == 0),
    objective = fit$objective, iterations = fit$iterations, converged = fit$converged
  )
}

# of 100 features, those in both sets, percent: the paper's FSR
shared_of <- function(name) {
  sum(cell(name, "dscofs")$ranking[1:100] %in% cell(name, "dscofs_rows")$ranking[1:100])
}

began <- seconds_now()
saveRDS(list(
  patterns = over(c("dscofs_rows", "dscofs"), function(method) {
    over(four, pattern_of, method = method)
  }),
  shared = vapply(setdiff(plans$tables$data, "pie"), shared_of, 0),
  seconds = seconds_now() - began, machine = machine()
), results_file("dscofs.rds"))
