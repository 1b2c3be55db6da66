# What the articles share: their settings, the results they are built from, and panels of curves.

knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", fig.width = 9, dpi = 96, fig.retina = 2, fig.align = "center",
  out.width = "100%", echo = FALSE
)

results <- function(name) file.path("..", "..", "bench", "results", "papers", name)

labels <- c(
  all = "all features", first = "first columns", random = "random", lapscore = "LapScore",
  rne = "RNE", udfs = "UDFS", sogfs = "SOGFS", spcafs = "SPCAFS", fspca = "FSPCA",
  spca_psd = "SPCA-PSD", cspca_psd = "CSPCA-PSD", aw_spca_psd = "AW-SPCA-PSD",
  fen_pcafs = "FEN-PCAFS", bsufs = "BSUFS", dscofs = "DSCOFS", css = "css",
  kmeans_ufs = "K-means UFS", alignment = "alignment", variance = "variance", tsfs = "TSFS+TSNE"
)
label <- function(method) ifelse(method %in% names(labels), labels[method], method)
set_names <- c(lung_discrete = "LUNG", USPS_1000 = "USPS", UMIST = "umist", orlraws10P = "Orlraws10P")
set_label <- function(data) ifelse(data %in% names(set_names), set_names[data], data)

# One colour and line for each method, the same in every figure
colour_of <- function(methods) {
  fixed <- names(labels)
  unname(rep_len(palette.colors(9, "Okabe-Ito"), length(fixed))[match(methods, fixed)])
}
line_of <- function(methods) ifelse(match(methods, names(labels)) > 9, 2, 1)

# Panels of a data set each, with a curve over the sizes for each method and its legend in the last;
# `rows` has data, method, k and the column `value`; all features are a level line
curve_panels <- function(rows, sets, methods, value, columns = 4, ylab = value) {
  lines <- ceiling((length(sets) + 1) / columns)
  op <- par(mfrow = c(lines, columns), mar = c(3, 3, 2, 0.5), mgp = c(1.8, 0.6, 0), las = 1)
  on.exit(par(op))
  for (set in sets) {
    own <- rows[rows$data == set & rows$method %in% c(methods, "all"), ]
    curves <- own[own$method != "all", ]
    plot(NULL, xlim = range(curves$k), ylim = range(own[[value]]), xlab = "features", ylab = ylab,
      main = set_label(set)
    )
    abline(h = own[[value]][own$method == "all"], col = "grey60", lty = 3)
    for (method in methods) {
      here <- curves[curves$method == method, ]
      lines(here$k, here[[value]], type = "o", pch = 20, cex = 0.7, col = colour_of(method),
        lty = line_of(method), lwd = if (method == methods[length(methods)]) 2.5 else 1
      )
    }
  }
  plot.new()
  legend("center", c("all features", label(methods)), bty = "n", lwd = 2, cex = 1.1,
    col = c("grey60", colour_of(methods)), lty = c(3, line_of(methods))
  )
}
