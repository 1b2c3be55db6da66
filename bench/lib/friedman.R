# Methods compared over data sets: means, ranks, Friedman's test and the critical difference of
# Nemenyi (Demsar, Journal of Machine Learning Research 7, 2006). `table` has a row per data set,
# method and size, with acc_mean, nmi_mean and elapsed.

# data sets x methods, means over the sizes; NA where a size has no result
score_matrix <- function(table, metric) {
  tapply(table[[paste0(metric, "_mean")]],
    list(factor(table$data, unique(table$data)), factor(table$method, unique(table$method))), mean
  )
}

# ranks within rows, 1 for the largest; what is missing is last, and ties (to eight digits) share
score_ranks <- function(values) {
  values[is.na(values)] <- -1
  values[] <- t(apply(values, 1, function(row) rank(-signif(row, 8))))
  values
}

# list(methods, acc_ranks, nmi_ranks): a row per method, the best mean rank of ACC first
summarise_methods <- function(table) {
  acc <- score_matrix(table, "acc")
  nmi <- score_matrix(table, "nmi")
  known <- function(values) {
    means <- colMeans(values, na.rm = TRUE)
    ifelse(is.nan(means), NA_real_, means)
  }
  above <- known((acc > acc[, match("random", colnames(acc))]) + 0)
  above[colnames(acc) == "random"] <- NA
  elapsed <- known(tapply(table$elapsed, list(table$data, table$method), mean))
  methods <- data.frame(
    method = colnames(acc), acc_mean = known(acc), nmi_mean = known(nmi),
    acc_rank = colMeans(score_ranks(acc)), nmi_rank = colMeans(score_ranks(nmi)),
    acc_wins = shared_wins(acc), nmi_wins = shared_wins(nmi), above_random = above,
    k_best = vapply(colnames(acc), best_size, 0, table = table), elapsed = elapsed[colnames(acc)],
    failed = colSums(is.na(acc)), row.names = NULL
  )
  list(
    methods = methods[order(methods$acc_rank), ], acc_ranks = score_ranks(acc),
    nmi_ranks = score_ranks(nmi)
  )
}

shared_wins <- function(values) {
  values[, colnames(values) == "random"] <- NA
  best <- apply(values, 1, function(row) max(row, -Inf, na.rm = TRUE))
  won <- !is.na(values) & values >= best - 1e-8
  colSums(won / pmax(1, rowSums(won)))
}

# the size of the highest mean over the data sets, of those that all its data sets serve
best_size <- function(method, table) {
  own <- table[table$method == method & !is.na(table$acc_mean), ]
  if (nrow(own) == 0L) {
    return(NA_real_)
  }
  served <- table(own$k)
  own <- own[own$k %in% names(served)[served == max(served)], ]
  means <- tapply(own$acc_mean, own$k, mean)
  as.numeric(names(means)[which.max(signif(means, 8))])
}

friedman_nemenyi <- function(table, metric = "acc", alpha = 0.05) {
  ranked <- score_ranks(score_matrix(table, metric))
  ranks <- sort(colMeans(ranked))
  methods <- ncol(ranked)
  test <- stats::friedman.test(ranked)
  difference <- stats::qtukey(1 - alpha, methods, Inf) / sqrt(2) *
    sqrt(methods * (methods + 1) / (6 * nrow(ranked)))
  list(
    statistic = unname(test$statistic), df = methods - 1, p_value = test$p.value, ranks = ranks,
    critical_difference = difference, blocks = nrow(ranked)
  )
}
