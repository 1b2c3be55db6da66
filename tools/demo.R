# Ranks the features of two tables without labels, prints the rankings and draws
# a figure:
#   Rscript tools/demo.R <figure.png>

library(rowsparse)

# A wide table: 2308 genes of 88 tumours (Khan et al. 2001) where the package
# sda is at hand, else the 61 x 87 heights of a volcano.
wide_table <- function() {
  if (nzchar(system.file(package = "sda"))) {
    khan <- new.env()
    utils::data("khan2001", package = "sda", envir = khan)
    x <- khan$khan2001$x
    colnames(x) <- make.unique(strtrim(khan$khan2001$descr, 45))
    list(name = "khan2001", size = "88 tumours, 2308 genes", x = x, m = 4)
  } else {
    x <- t(datasets::volcano)
    colnames(x) <- paste0("column", seq_len(ncol(x)))
    list(name = "volcano", size = "61 x 87 heights", x = x, m = 3)
  }
}

show_ranking <- function(title, fit, n = 10) {
  cat("\n", title, "\n", sep = "")
  print(fit)
  table <- utils::head(as.data.frame(fit)[c("rank", "feature", "score")], n)
  print(table, row.names = FALSE, digits = 3)
}

scatter <- function(shape, features, title) {
  graphics::plot(shape$x[, features],
    col = grDevices::hcl.colors(max(shape$y), "Dark 3")[shape$y],
    pch = 19, cex = 0.4, asp = 1, bty = "l", las = 1, main = title
  )
}

draw <- function(file, shape, shape_fit, table, table_fit) {
  grDevices::png(file, width = 1200, height = 420, res = 110)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1, 3), mar = c(4.5, 4.5, 2.5, 1), cex.main = 1)
  scatter(shape, selected(shape_fit, 2), "Diamond9: ranked 1 and 2")
  scatter(shape, shape_fit$ranking[8:9], "Diamond9: ranked 8 and 9")
  best <- rev(utils::head(table_fit$ranking, 15))
  names <- names(table_fit$scores)[best]
  names <- ifelse(nchar(names) > 28, paste0(strtrim(names, 26), "..."), names)
  graphics::dotchart(unname(table_fit$scores[best]), names,
    pch = 19, cex = 0.75, xlab = "score", main = paste0(table$name, ": best 15")
  )
}

figure <- commandArgs(trailingOnly = TRUE)[1]

# The noise has a smaller variance than the two features of the shape: of equal
# variance it could not be told from them by second moments.
set.seed(1)
diamond <- simulate_shapes("diamond9", n = 900, ratio = 0.6)
diamond_fit <- bsufs(diamond$x, m = 2)
show_ranking("Diamond9: the shape is in f4 and f5, seven features are noise", diamond_fit)

table <- wide_table()
table_fit <- bsufs(table$x, m = table$m)
show_ranking(paste0(table$name, ": ", table$size), table_fit)

draw(figure, diamond, diamond_fit, table, table_fit)
cat("\nFigure: ", figure, "\n", sep = "")
