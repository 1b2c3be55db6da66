# Which default have experiments with classes? Pancreas cells of five technologies, each left out
# in turn: panels of the others by alignment() and by cdlsr() with Pillai's trace, the macro F1 on
# the cells of the technology left out, as the mean of twenty draws of ties, and seconds of the
# processor, the least of three runs.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/panels/classes.R > bench/results/panels_classes.md
source(file.path("bench", "common.R"))
source(file.path("bench", "panels", "macro.R"))

sizes <- c(20, 50, 100, 200)
data <- panel_data("panc8_small")
ways <- list(alignment = list(method = "alignment"),
  pillai = list(method = "cdlsr", ridge = "pillai"))

one_left_out <- function(technology, way, k) {
  test <- which(data$batch == technology)
  train <- setdiff(seq_along(data$type), test)
  cells <- SingleCellExperiment::SingleCellExperiment(
    list(logcounts = Matrix::t(data$x[train, ])), colData = list(type = data$type[train])
  )
  found <- timed(quiet(do.call(rowsparse, c(list(cells, "type", k), ways[[way]]))), 3)
  f1 <- vapply(1:20, function(draw) macro(data, found$value$selected, train, test, draw), 0)
  data.frame(way = way, k = k, technology = technology, seconds = found$least, macro = mean(f1))
}

grid <- expand.grid(technology = unique(data$batch), way = names(ways), k = sizes,
  stringsAsFactors = FALSE
)
all <- do.call(rbind, Map(one_left_out, grid$technology, grid$way, grid$k))
means <- aggregate(all[c("macro", "seconds")], all[c("k", "way")], mean)
wide <- stats::reshape(means, idvar = "k", timevar = "way", direction = "wide")
each <- stats::reshape(all[c("k", "technology", "way", "macro")], idvar = c("k", "technology"),
  timevar = "way", direction = "wide"
)

cat("# The default of experiments with classes\n\n")
cat("Means over five technologies of pancreas cells, each left out in turn.\n\n")
print(knitr::kable(wide, "pipe", digits = 3, row.names = FALSE))
slowest <- max(all$seconds[all$way == "alignment" & all$k == 200])
gate(all(wide$macro.alignment >= wide$macro.pillai),
  "no mean of alignment() below that by Pillai's trace"
)
gate(slowest <= 0.3, "at most .3 seconds at k = 200: %.2f", slowest)
print(knitr::kable(each, "pipe", digits = 3, row.names = FALSE))
cat("\n", machine(), "\n", sep = "")
