# Selections and recovery rates of the vignette "Synthetic shapes". From the package's root:
#   Rscript vignettes/precomputed/shapes.R [draws]
# writes vignettes/precomputed/shapes.rds. Points of published files are from the reference data.

source(file.path("bench", "common.R"))
folder <- file.path("vignettes", "precomputed")
source(file.path(folder, "shapes-methods.R"))

draws <- as.integer(c(commandArgs(TRUE), "20")[1])
shapes <- eval(formals(simulate_shapes)$shape)
published <- c(
  diamond9 = "diamond9", dartboard = "dartboard1", two_spirals = "2spiral", banana = "banana"
)

# points of a published file, in matched noise
draw_published <- function(shape, seed, n = 400) {
  given <- bench_data(published[[shape]])
  set.seed(seed)
  rows <- sample.int(nrow(given$x), n)
  pair <- given$x[rows, ]
  imitated <- rep_len(1:2, 7)
  noise <- matrix(stats::rnorm(7 * n, rep(colMeans(pair)[imitated], each = n),
    rep(apply(pair, 2, stats::sd)[imitated], each = n)
  ), n)
  list(x = unname(cbind(noise[, 1:3], pair, noise[, 4:7])), y = as.integer(factor(given$y[rows])),
    informative = 4:5
  )
}

# how many of the draws are solved, by method
recovered <- function(shape, noise, contamination, points) {
  hits <- vapply(seq_len(draws), function(seed) {
    data <- if (points == "file") {
      draw_published(shape, seed)
    } else {
      draw_shape(shape, noise, contamination, seed)
    }
    vapply(names(selections), function(method) found(select_two(method, data), data), NA)
  }, logical(length(selections)))
  data.frame(
    shape = shape, noise = noise, contamination = contamination, points = points,
    method = names(selections), hits = as.integer(rowSums(hits)), row.names = NULL
  )
}

over <- function(shape, noise, contamination = "none", points = "simulated") {
  cases <- expand.grid(shape = shape, noise = noise, contamination = contamination,
    points = points, stringsAsFactors = FALSE
  )
  do.call(rbind, unname(Map(recovered, cases$shape, cases$noise, cases$contamination,
    cases$points
  )))
}

# the two features that the methods of a paper's figure name in a draw of default size
named <- function(paper, shape, noise = "1", contamination = "none") {
  data <- draw_shape(shape, noise, contamination, n = NULL)
  features <- lapply(shown[[paper]], select_two, data)
  data.frame(
    shape = shape, noise = noise, contamination = contamination, method = shown[[paper]],
    features = vapply(features, toString, "")
  )
}

# bsufs over its parameters on matched noise: hits over all settings and draws,
# and draws for which any setting at all hits
settings <- expand.grid(
  m = 1:2, lambda1 = c(0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6), lambda2 = c(0, 0.01, 0.05, 0.2)
)
settings <- settings[settings$lambda1 + settings$lambda2 > 0, ]

bsufs_hits <- function(data) {
  largest <- lapply(1:2, function(m) bsufs(data$x, m)$parameters)
  mapply(function(m, lambda1, lambda2) {
    fit <- suppressWarnings(bsufs(data$x, m,
      lambda1 = lambda1 * largest[[m]]$lambda1_max, lambda2 = lambda2 * largest[[m]]$lambda2_max
    ))
    found(top_two(fit), data)
  }, settings$m, settings$lambda1, settings$lambda2)
}

grid_search <- function(shape) {
  hits <- vapply(seq_len(draws), function(seed) bsufs_hits(draw_shape(shape, seed = seed)),
    logical(nrow(settings))
  )
  data.frame(
    shape = shape, settings = nrow(settings), share = mean(hits),
    draws_with_a_hit = sum(apply(hits, 2, any))
  )
}

started <- proc.time()[["elapsed"]]
corrupted <- c("gaussian", "salt_pepper")
rates <- rbind(
  over(shapes, setdiff(names(ratios), "0.2 to 0.8")),
  over(c("two_moons", "three_rings", "three_curves"), "0.2 to 0.8"),
  over(c("diamond9", "dartboard"), "0.6", corrupted),
  over(c("diamond9", "dartboard", "banana"), "1", corrupted),
  over(names(published), "1", points = "file")
)
grid <- do.call(rbind, lapply(c("diamond9", "dartboard", "three_rings"), grid_search))
figures <- rbind(
  named("bsufs", "diamond9"), named("bsufs", "dartboard"),
  named("bsufs", "dartboard", contamination = "gaussian"),
  named("bsufs", "dartboard", contamination = "salt_pepper"),
  do.call(rbind, lapply(c("two_spirals", "banana", "dartboard"), named, paper = "dscofs")),
  do.call(rbind, lapply(c("two_moons", "three_rings", "three_curves"), named, paper = "spca_psd",
    noise = "0.2 to 0.8"
  ))
)
saveRDS(list(figures = figures, rates = rates, grid = grid, draws = draws),
  file.path(folder, "shapes.rds")
)
cat(sprintf("%.0f s\n", proc.time()[["elapsed"]] - started))
