# the arguments of each selection that are not defaults; `classes` is the number of classes, `y`
# the class of each sample, which only cdlsr is given
selections <- alist(
  "lapscore" = list(), "sogfs, m = 2" = list(m = 2, clusters = classes), "rne" = list(),
  "udfs, m = 2" = list(m = 2), "spcafs, m = 1" = list(m = 1), "spcafs, m = 2" = list(m = 2),
  "fspca, m = 1" = list(m = 1), "fspca, m = 2" = list(m = 2), "spca_psd" = list(),
  "fen_pcafs, m = 1" = list(m = 1), "fen_pcafs, m = 2" = list(m = 2),
  "bsufs, m = 1" = list(m = 1), "bsufs, m = 1, scaled" = list(m = 1, scale = TRUE),
  "bsufs, m = 2" = list(m = 2), "dscofs, m = 1" = list(m = 1, start = "leading"),
  "dscofs, m = 2" = list(m = 2, start = "leading"), "css, m = 1" = list(m = 1),
  "css" = list(m = Inf), "cspca" = list(), "aw_spca" = list(), "covth" = list(),
  "variance" = list(), "kmeans_ufs, exact" = list(clusters = classes),
  "kmeans_ufs, alternate" = list(clusters = classes, solver = "alternate"),
  "alignment" = list(), "alignment, clusters" = list(clusters = classes), "spec" = list(),
  "sf2sog, m = 2" = list(m = 2), "jelsr, m = 2" = list(m = 2), "tsfs, m = 2" = list(m = 2),
  "mcfs" = list(clusters = classes), "ndfs" = list(clusters = classes),
  "rufs" = list(clusters = classes), "eufs" = list(clusters = classes),
  "spdfs" = list(clusters = classes), "cdlsr (labels)" = list(y = factor(y))
)

# the methods of the papers' figures, in their order
shown <- list(
  bsufs = c("lapscore", "sogfs, m = 2", "rne", "udfs, m = 2", "spcafs, m = 2", "fspca, m = 2",
    "spca_psd", "fen_pcafs, m = 2", "bsufs, m = 2"
  ),
  dscofs = c("fspca, m = 1", "spcafs, m = 1", "spca_psd", "dscofs, m = 1"),
  spca_psd = c("udfs, m = 2", "sogfs, m = 2", "spcafs, m = 1", "spca_psd")
)

# standard deviations of the noise over those of the pair
ratios <- list("0.6" = 0.6, "0.8" = 0.8, "1" = 1, "1.25" = 1.25,
  "0.2 to 0.8" = seq(0.2, 0.8, length.out = 7)
)

draw_shape <- function(shape, noise = "1", contamination = "none", seed = 1, n = 400) {
  set.seed(seed)
  simulate_shapes(shape, n, ratio = ratios[[noise]], contamination = contamination)
}

# the two best features, or fewer if fewer have a score other than zero
top_two <- function(fit) {
  best <- fit$ranking[1:2]
  sort(best[fit$scores[best] > 0])
}

select_two <- function(name, data) {
  given <- list(classes = max(data$y), y = data$y)
  method <- sub("[ ,].*", "", name)
  set.seed(1)
  top_two(suppressMessages(suppressWarnings(do.call(
    rowsparse, c(list(data$x, k = 2, method = method), eval(selections[[name]], given))
  ))))
}

found <- function(features, data) setequal(features, data$informative)
