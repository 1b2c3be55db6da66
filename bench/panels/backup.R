# What backups give back of what a panel loses if some of its genes fail: macro F1 of held-out cells
# on 30 genes by alignment(), of which 8 drawn at random are taken out.
#   Rscript bench/panels/backup.R [names of sets]

source("bench/common.R")
source("bench/panels/macro.R")

size <- 30
failing <- 8
draws <- 1:10
asked <- commandArgs(TRUE)
if (length(asked) == 0) asked <- c("panc8_small", "zheng500", "yan124", "mix_rnamix_celseq2")

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

rows <- rows_of(asked, function(name) {
  data <- panel_data(name)
  f1 <- vapply(draws, function(seed) draw_f1(data, seed), numeric(7))
  mean <- rowMeans(f1)
  loss <- mean[["full"]] - mean[["without"]]
  back <- (mean[["backup"]] - mean[["without"]]) / loss
  data.frame(set = name, t(mean), loss = loss, back = if (loss > 0) back else NA)
})
markdown(transform(rows, back = decimals(back), set = set, full = decimals(full, 3),
  without = decimals(without, 3), replacement = decimals(replacement, 3),
  correlate = decimals(correlate, 3), backup = decimals(backup, 3), refit = decimals(refit, 3),
  loss = decimals(loss, 3), distinct = decimals(distinct, 1)
))
judged <- rows$loss > 0.02
gate(all(rows$back[judged] >= 0.6),
  "backups give back at least .6 of the loss where that exceeds .02: %s",
  toString(sprintf("%s %.2f", rows$set[judged], rows$back[judged]))
)
stop_if_failed()
