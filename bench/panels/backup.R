# What backups give back of what a panel loses if some of its genes fail: macro F1 of held-out cells
# on 30 genes by alignment(), of which 8 drawn at random are taken out.
# Ten draws, and 24 more, as a rare type of five cells makes the loss of ten a matter of chance.
#   Rscript bench/panels/backup.R > bench/results/panels_backup.md

source("bench/common.R")
source("bench/panels/macro.R")

size <- 30
failing <- 8
draws <- c(1:10, 101:124)
asked <- c("panc8_small", "zheng500", "yan124", "mix_rnamix_celseq2")

# the genes outside that correlate most with these, the largest correlation first, all different
nearest_correlates <- function(x, panel, failed) {
  r <- abs(quiet(stats::cor(as.matrix(x[, failed]), as.matrix(x))))
  r[, panel] <- NA
  out <- character()
  for (i in seq_along(failed)) {
    at <- arrayInd(which.max(r), dim(r))
    out <- c(out, colnames(x)[at[2]])
    r[at[1], ] <- r[, at[2]] <- NA
  }
  out
}

# macro F1 of the panel, of what is left, and of that with what is taken instead, by a draw
draw_f1 <- function(data, seed) {
  train <- training_cells(data$type, seed)
  test <- setdiff(seq_along(data$type), train)
  x <- data$x[train, ]
  type <- droplevels(data$type[train])
  fit <- quiet(alignment(x, type, k = size))
  panel <- selected(fit)
  set.seed(seed)
  failed <- sample(panel, failing)
  left <- setdiff(panel, failed)
  # no search is needed for these columns
  found <- quiet(alternatives(x, fit, type, seconds = 1))
  table <- found$features[match(failed, found$features$feature), ]
  refit <- quiet(alignment(x, type, k = size, include = left, exclude = failed))
  sets <- list(
    full = panel, without = left,
    replacement = union(left, setdiff(table$replacement, c(NA, failed))),
    correlate = c(left, nearest_correlates(x, panel, failed)), backup = c(left, table$backup),
    refit = selected(refit)
  )
  c(vapply(sets, function(set) macro(data, set, train, test), 0),
    distinct = length(setdiff(sets$replacement, left))
  )
}

found <- lapply(stats::setNames(nm = asked), function(name) {
  data <- panel_data(name)
  vapply(draws, function(seed) draw_f1(data, seed), numeric(7))
})
# means over the first `count` draws, and the share of the loss that backups give back
told <- function(count) {
  rows_of(asked, function(name) {
    mean <- rowMeans(found[[name]][, seq_len(count)])
    loss <- mean[["full"]] - mean[["without"]]
    data.frame(set = name, t(decimals(mean, 3)), loss = loss,
      back = if (loss > 0.02) (mean[["backup"]] - mean[["without"]]) / loss else NA)
  })
}

cat("# Backups of genes that fail\n")
for (count in c(length(draws), 10)) {
  rows <- told(count)
  cat(sprintf("\n## %d draws\n\n", count))
  markdown(transform(rows, loss = decimals(loss, 3), back = decimals(back)))
  gate(all(rows$back >= 0.6, na.rm = TRUE),
    "%d draws: backups give back at least .6 of the loss where that exceeds .02", count
  )
}
cat("\n", machine(), "\n", sep = "")
