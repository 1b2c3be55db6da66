# The pictures of two papers, panel for panel: the two features that each method ranks first.
# Figures 2 to 5 of BSUFS (diamond9, dartboard1, clean and contaminated) and 4 of DSCOFS.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/published_shapes.R [figures] [rates]
# Writes vignettes/articles/shapes-*.png and bench/results/published_shapes.csv. The points are
# those of the papers' files where these are there, and of the same law by simulate_shapes()
# elsewhere; the rates are on the latter.
source(file.path("bench", "common.R"))

methods <- list(
  LapScore = function(x, classes) lapscore(x), SOGFS = function(x, classes) sogfs(x, m = 2),
  RNE = function(x, classes) rne(x, k = 2), UDFS = function(x, classes) udfs(x),
  SPCAFS = function(x, classes) spcafs(x, m = 2), FSPCA = function(x, classes) fspca(x, 2, 2),
  "SPCA-PSD" = function(x, classes) spca_psd(x),
  "FEN-PCAFS" = function(x, classes) fen_pcafs(x), CSPCA = function(x, classes) cspca(x),
  BSUFS = function(x, classes) bsufs(x, m = 2),
  DSCOFS = function(x, classes) dscofs(x, 2, 1),
  default = function(x, classes) rowsparse(x, k = 2),
  "k-means" = function(x, classes) {
    kmeans_ufs(x, k = 2, clusters = classes, solver = "alternate", starts = 10)
  }
)
files <- c(diamond9 = "diamond9", dartboard = "dartboard1", two_spirals = "2spiral",
  banana = "banana"
)

# `sd`: "unit" for noise N(0, 1), or a ratio: noise with the means of the pair and this multiple of
# its standard deviations
draw_data <- function(shape, sd, contamination = "none", from_file = TRUE, n = NULL) {
  data <- simulate_shapes(shape, n, position = c(4, 5))
  if (from_file && !is.null(shared_folder())) {
    given <- bench_data(files[[shape]])
    rows <- if (shape == "banana") unlist(tapply(seq_along(given$y), given$y, sample, 500))
    if (is.null(rows)) rows <- seq_along(given$y)
    data <- list(x = matrix(0, length(rows), 9), y = given$y[rows], informative = c(4, 5))
    data$x[, 4:5] <- given$x[rows, ]
  }
  pair <- data$x[, 4:5]
  from <- rep_len(1:2, 7)
  centre <- if (sd == "unit") rep(0, 7) else colMeans(pair)[from]
  spread <- if (sd == "unit") rep(1, 7) else as.numeric(sd) * apply(pair, 2, stats::sd)[from]
  size <- nrow(pair)
  data$x[, -(4:5)] <- stats::rnorm(7 * size, rep(centre, each = size), rep(spread, each = size))
  data$x <- rowsparse:::contaminate(unname(data$x), contamination,
    c(none = 0, gaussian = 0.01, salt_pepper = 0.03)[[contamination]]
  )
  data
}

# the two best, fewer where fewer have a score
best_two <- function(method, data) {
  fit <- suppressWarnings(suppressMessages(methods[[method]](data$x, max(data$y))))
  best <- fit$ranking[1:2]
  best[fit$scores[best] > 0]
}

colours <- unname(grDevices::palette.colors(9, "Okabe-Ito")[c(6, 7, 4, 8, 3, 2, 9, 1, 5)])

draw_panel <- function(data, pair, title) {
  right <- setequal(pair, data$informative)
  if (length(pair) == 2) {
    shown <- round(seq(1, nrow(data$x), length.out = min(nrow(data$x), 700)))
    plot(data$x[shown, sort(pair)], col = colours[data$y[shown]], pch = 16, cex = 0.4,
      axes = FALSE, ann = FALSE
    )
    title <- sprintf("%s: %s", title, paste(sort(pair), collapse = ", "))
  } else {
    graphics::plot.new()
    title <- paste0(title, ": none")
  }
  graphics::box(lwd = if (right) 3 else 1, col = if (right) "black" else "grey60")
  graphics::title(main = title, cex.main = 1, font.main = if (right) 2 else 1, line = 0.4)
}

draw_figure <- function(file, shape, contamination = "none", shown = names(methods)) {
  grDevices::png(file.path("vignettes", "articles", file), 7.5 * 192, 192 * 0.68 *
    4 * ceiling((length(shown) + 1) / 5), res = 192, pointsize = 9, type = "cairo"
  )
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(2 * ceiling((length(shown) + 1) / 5), 5), mar = c(0.3, 0.3, 1.6, 0.3),
    oma = c(0, 1.6, 0, 0)
  )
  for (sd in c("unit", "1")) {
    set.seed(1)
    data <- draw_data(shape, sd, contamination)
    draw_panel(data, data$informative, "the pair")
    words <- c(unit = "noise N(0, 1)", "1" = "noise of its variance")
    graphics::mtext(words[[sd]], 2, 0.3, cex = 0.7)
    for (method in shown) {
      pair <- best_two(method, data)
      cat(file, sd, method, pair, "\n")
      draw_panel(data, pair, method)
    }
    rest <- -(length(shown) + 1) %% 5
    for (i in seq_len(rest)) graphics::plot.new()
  }
}

figures <- function() {
  sparse <- c("FSPCA", "SPCAFS", "SPCA-PSD", "DSCOFS")
  draw_figure("shapes-diamond9.png", "diamond9")
  draw_figure("shapes-dartboard.png", "dartboard")
  draw_figure("shapes-dartboard-gaussian.png", "dartboard", "gaussian")
  draw_figure("shapes-dartboard-salt.png", "dartboard", "salt_pepper")
  draw_figure("shapes-two_spirals.png", "two_spirals", shown = sparse)
  draw_figure("shapes-banana.png", "banana", shown = sparse)
  draw_figure("shapes-dartboard-dscofs.png", "dartboard", shown = sparse)
}

# draws, of 50, in which the pair is found: a row per shape and noise, a column per method
rates <- function(draws = 50, n = 300, noise = c("unit", "0.5", "0.75", "1", "1.25")) {
  cases <- expand.grid(shape = names(files), sd = noise, stringsAsFactors = FALSE)
  for (method in names(methods)) {
    cases[[method]] <- mapply(function(shape, sd) {
      sum(vapply(seq_len(draws), function(seed) {
        set.seed(seed)
        data <- draw_data(shape, sd, from_file = FALSE, n = n)
        setequal(best_two(method, data), data$informative)
      }, NA))
    }, cases$shape, cases$sd)
    cat(format(Sys.time(), "%H:%M"), method, "\n", file = stderr())
  }
  utils::write.csv(cases, file.path("bench", "results", "published_shapes.csv"), row.names = FALSE)
}

parts <- commandArgs(TRUE)
for (part in if (length(parts)) parts else c("figures", "rates")) get(part)()
