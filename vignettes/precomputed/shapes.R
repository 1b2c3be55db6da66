# Recovery rates of the vignette "Synthetic shapes". From the package's root:
#   Rscript vignettes/precomputed/shapes.R
# writes vignettes/precomputed/shapes.rds.

library(rowsparse)
folder <- file.path("vignettes", "precomputed")
source(file.path(folder, "shapes-methods.R"))

seeds <- 1:20
shapes <- eval(formals(simulate_shapes)$shape)
ratios <- c(0.4, 0.6, 0.8, 0.9, 0.95, 1, 1.05, 1.25)

# how many of the seeds are solved, per method
recovered <- function(shape, ratio, contamination) {
  hits <- vapply(seeds, function(seed) {
    set.seed(seed)
    drawn <- simulate_shapes(shape, ratio = ratio, contamination = contamination)
    vapply(names(selections), function(method) found(select_two(method, drawn), drawn), NA)
  }, logical(length(selections)))
  data.frame(
    shape = shape, ratio = ratio, contamination = contamination,
    method = names(selections), hits = as.integer(rowSums(hits)), row.names = NULL
  )
}

over <- function(cases) {
  rows <- Map(recovered, cases$shape, cases$ratio, cases$contamination)
  do.call(rbind, unname(rows))
}

# bsufs over its parameters on matched noise: hits over all settings and seeds,
# and seeds for which any setting at all hits
settings <- expand.grid(
  m = 1:2, lambda1 = c(0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6), lambda2 = c(0, 0.01, 0.05, 0.2)
)
settings <- settings[settings$lambda1 + settings$lambda2 > 0, ]

bsufs_hits <- function(drawn) {
  largest <- lapply(1:2, function(m) bsufs(drawn$x, m)$parameters)
  mapply(function(m, lambda1, lambda2) {
    fit <- suppressWarnings(bsufs(drawn$x, m,
      lambda1 = lambda1 * largest[[m]]$lambda1_max, lambda2 = lambda2 * largest[[m]]$lambda2_max
    ))
    found(top_two(fit), drawn)
  }, settings$m, settings$lambda1, settings$lambda2)
}

grid_search <- function(shape) {
  hits <- vapply(seeds, function(seed) {
    set.seed(seed)
    bsufs_hits(simulate_shapes(shape))
  }, logical(nrow(settings)))
  data.frame(
    shape = shape, settings = nrow(settings), share = mean(hits),
    seeds_with_a_hit = sum(apply(hits, 2, any))
  )
}

started <- proc.time()[["elapsed"]]
by_ratio <- over(expand.grid(
  shape = shapes, ratio = ratios, contamination = "none", stringsAsFactors = FALSE
))
by_contamination <- over(expand.grid(
  shape = shapes, ratio = c(0.6, 1), contamination = c("gaussian", "salt_pepper"),
  stringsAsFactors = FALSE
))
grid <- do.call(rbind, lapply(c("diamond9", "dartboard", "three_rings"), grid_search))
rates <- rbind(by_ratio, by_contamination)

saveRDS(
  list(
    rates = rates, grid = grid, seeds = length(seeds),
    version = as.character(utils::packageVersion("rowsparse"))
  ),
  file.path(folder, "shapes.rds")
)
cat(sprintf("%.0f s\n", proc.time()[["elapsed"]] - started))
