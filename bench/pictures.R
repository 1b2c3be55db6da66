# Every picture of the package, in base graphics and ggplot2, at 700 and 1400 pixels width, with
# short and with long names, few classes and many: written to build/pictures, or to the
# folder given, to be looked at. FILTER: a regular expression of the names of the files.
#   Rscript bench/pictures.R [folder] [FILTER]

suppressMessages(library(rowsparse))
folder <- if (length(commandArgs(TRUE)) > 0) commandArgs(TRUE)[1] else "build/pictures"
filter <- if (length(commandArgs(TRUE)) > 1) commandArgs(TRUE)[2] else ""
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
with_ggplot <- requireNamespace("ggplot2", quietly = TRUE)

# one PNG for each engine and width; 100 pixels an inch
draw <- function(file_stem, object, ...) {
  if (!grepl(filter, file_stem)) {
    return(invisible())
  }
  for (width in c(700, 1400)) {
    for (engine in c("base", if (with_ggplot) "ggplot")) {
      file <- file.path(folder, sprintf("%s_%s_%d.png", file_stem, engine, width))
      grDevices::png(file, width, width * 5 / 7, res = 100)
      if (engine == "base") plot(object, ...) else print(ggplot2::autoplot(object, ...))
      grDevices::dev.off()
    }
  }
}

# ---- data ------------------------------------------------------------------------

set.seed(1)
grouped <- function(n, d, classes, names) {
  class <- rep(seq_len(classes), length.out = n)
  centres <- matrix(stats::rnorm(classes * 8, sd = 2), classes)
  x <- matrix(stats::rnorm(n * d), n)
  x[, 1:8] <- x[, 1:8] + centres[class, ]
  colnames(x) <- names
  list(x = x, class = class)
}
long <- function(count, what) {
  sprintf("%s_of_a_measurement_with_a_very_long_name_that_ends_in_%03d", what, seq_len(count))
}
tables <- list(
  short = c(grouped(120, 60, 3, paste0("g", 1:60)), list(levels = c("red", "green", "blue"))),
  long = c(grouped(200, 60, 20, long(60, "feature")), list(levels = long(20, "class")))
)

# ---- fits, paths and tunings -----------------------------------------------------

for (kind in names(tables)) {
  table <- tables[[kind]]
  x <- table$x
  y <- factor(table$levels[table$class], table$levels)
  fit <- rowsparse(x, k = 12, method = "bsufs", m = 3)
  by_subset <- css(x, 10, m = 4)
  supervised <- cdlsr(x, y, 8)
  draw(paste0("fit_scores_", kind), fit)
  draw(paste0("fit_scores_all_", kind), variance(x), n = 60, labels = 30)
  draw(paste0("fit_scores_css_", kind), by_subset)
  draw(paste0("fit_scores_cdlsr_", kind), supervised, n = 20, labels = 20)
  draw(paste0("fit_objective_", kind), fit, type = "objective")
  draw(paste0("fit_objective_css_", kind), by_subset, type = "objective")
  draw(paste0("fit_objective_none_", kind), variance(x), type = "objective")
  draw(paste0("fit_convergence_", kind), fit, type = "objective",
    others = stats::setNames(list(dscofs(x, 12, 3), spca_psd(x)), c("dscofs", table$levels[1]))
  )
  draw(paste0("fit_loadings_", kind), fit, type = "loadings")
  draw(paste0("fit_loadings_classes_", kind), supervised, type = "loadings")
  draw(paste0("fit_loadings_many_", kind), rfs(x, y), type = "loadings", n = 60)
  draw(paste0("fit_correlation_", kind), fit, type = "correlation", data = x)
  draw(paste0("fit_embedding_", kind), fit, type = "embedding", data = x)
  draw(paste0("fit_embedding_classes_", kind), fit, type = "embedding", data = x, groups = y)
  draw(paste0("fit_embedding_numbers_", kind), fit, type = "embedding", data = x, groups = x[, 1])
  over_penalty <- rowsparse_path(x, method = "bsufs", m = 3, nlambda = 20)
  over_size <- rowsparse_path(x, method = "css", k = 1:15)
  for (type in c("scores", "nonzero", "explained")) {
    draw(sprintf("path_penalty_%s_%s", type, kind), over_penalty, type = type)
    draw(sprintf("path_size_%s_%s", type, kind), over_size, type = type)
  }
  tuned <- tune_rowsparse(
    x, method = "bsufs", subsamples = 6, k = c(2, 4, 6, 8, 10, 15, 20),
    grid = list(m = 2:4, lambda2 = c(0.1, 1, 10))
  )
  for (type in c("criterion", "stability", "frequency", "paths", "surface")) {
    draw(sprintf("tuning_%s_%s", type, kind), tuned, type = type)
  }
  draw(paste0("tuning_one_curve_", kind), tune_rowsparse(x, method = "css", subsamples = 6,
    k = 1:8
  ))
  draw(paste0("cv_", kind), cv_rowsparse(x, y, k = 1:10, method = "cdlsr", folds = 5))
  draw(paste0("cv_repeats_", kind), cv_rowsparse(x, y, method = "ftest", repeats = 2))
  draw(paste0("cv_penalty_", kind),
    cv_rowsparse(x, x[, 1] + x[, 2], method = "rfs", nlambda = 15, folds = 4)
  )
  draw(paste0("selection_error_", kind), selection_error(x, y, c(2, 5, 10), "css"))
  draw(paste0("error_comparison_", kind),
    compare_methods(x, y, methods = c("css", "ftest", "variance"),
    k = c(2, 5, 10), criterion = "error", random = 3
  ))
  draw(paste0("moments_spectrum_", kind), moments(x))
  draw(paste0("moments_variances_", kind), moments(x), type = "variances")
}
sizes <- rowsparse_path(tables$short$x, method = "dscofs", m = 2, k = 2:6)
draw("path_dscofs", sizes)
two <- rowsparse_path(tables$short$x, method = "spca_psd", nlambda = 6)
for (type in c("scores", "nonzero")) draw(paste0("path_two_penalties_", type), two, type = type)

# ---- images ----------------------------------------------------------------------

pixels <- matrix(stats::rnorm(60 * 32 * 32), 60)
ring <- outer(1:32, 1:32, function(i, j) abs(sqrt((i - 16)^2 + (j - 16)^2) - 9) < 2)
pixels[, ring] <- 3 * pixels[, ring] + 2
image_fit <- rowsparse(pixels, k = 100, method = "variance")
draw("pixels_mask", image_fit, type = "pixels", dim = c(32, 32))
draw("pixels_mean", image_fit, type = "pixels", dim = c(32, 32), data = pixels)
draw("pixels_wide", image_fit, type = "pixels", dim = c(8, 128), data = pixels)

# ---- comparisons -----------------------------------------------------------------

comparison <- function(methods, sets) {
  table <- expand.grid(k = c(10, 20, 50, 100), method = c(methods, "random"), data = sets,
    stringsAsFactors = FALSE
  )[3:1]
  level <- match(table$method, methods, 0) / length(methods)
  table$runs <- 10L
  table$acc_mean <- 0.3 + 0.3 * level + 0.02 * log(table$k) + stats::rnorm(nrow(table), sd = 0.03)
  table$acc_sd <- 0.04
  table$nmi_mean <- table$acc_mean - 0.1 + stats::rnorm(nrow(table), sd = 0.05)
  table$nmi_sd <- 0.04
  table$elapsed <- ifelse(table$method == "random", NA, exp(stats::rnorm(nrow(table))))
  structure(table, class = c("method_comparison", "feature_evaluation", "data.frame"))
}
compared <- list(
  short = comparison(c("css", "bsufs", "mcfs", "rfs"), "faces"),
  several = comparison(c("css", "bsufs", "mcfs", "rfs"), c("faces", "genes", "digits", "words")),
  long = comparison(long(12, "method"), long(9, "data set"))
)
for (kind in names(compared)) {
  for (type in c("sizes", "map", "criteria")) {
    draw(sprintf("comparison_%s_%s", type, kind), compared[[kind]], type = type)
  }
}
draw("ranks_short", rowsparse:::friedman_nemenyi(compared$several))
draw("ranks_long", rowsparse:::friedman_nemenyi(compared$long))
many <- matrix(stats::rnorm(20 * 10) + rep(1:20, each = 10) / 5, 10)
colnames(many) <- paste0("method", 1:20)
draw("ranks_many", rowsparse:::friedman_nemenyi(many))
