# What the page of BSUFS shows beside clustering: matrices, correlations, pixels and convergence, at
# the settings that bench/papers/clusters.R found best. Writes bsufs.rds.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/papers/bsufs.R
source(file.path("bench", "papers", "common.R"))
source(file.path("bench", "papers", "grids.R"))

cases <- c(I = "bsufs_none", II = "bsufs_entries", III = "bsufs_rows", IV = "bsufs")

best_fit <- function(name, case) {
  given <- paper_data("tables", name)
  values <- c(lambda1 = 0, lambda2 = 0, p = 1 / 2, q = 1 / 2)
  tried <- cell(name, cases[[case]])$settings
  best <- if (!is.null(tried)) unlist(best_setting(tried)[names(values)])
  values[!is.na(best)] <- best[!is.na(best)]
  quiet(do.call(bsufs, c(list(given$x, length(unique(given$y)), normalize = FALSE), values)))
}

# entries as a share of the largest, in 255 steps, and how many are zero
pattern_of <- function(name, case) {
  W <- abs(best_fit(name, case)$loadings)
  list(shares = matrix(as.integer(round(255 * W / max(W))), nrow(W)), zero = mean(W == 0),
    rows = mean(rowSums(W) > 0)
  )
}

correlations_of <- function(name, method) {
  features <- cell(name, method)$ranking[1:10]
  stats::cor(paper_data("tables", name)$x[, features])
}

began <- seconds_now()
saveRDS(list(
  patterns = over(c("USPS_1000", "UMIST"), function(name) {
    over(names(cases), pattern_of, name = name)
  }),
  correlations = over(c("spcafs", "bsufs"), function(method) {
    over(c("COIL20", "Isolet", "USPS_1000", "lung_discrete"), correlations_of, method = method)
  }),
  face = colMeans(paper_data("tables", "pie")$x),
  pixels = over(names(cases), function(case) cell("pie", cases[[case]])$ranking[1:80]),
  curves = over(c("COIL20", "Isolet", "USPS_1000", "lung_discrete"), function(name) {
    best_fit(name, "IV")$objective
  }),
  seconds = seconds_now() - began, machine = machine()
), results_file("bsufs.rds"))
