# bench/results/comparison.md and .csv, from what is in the store.

write_comparison <- function(plan, neural) {
  results <- plan$results
  own <- results != file.path("bench", "results")
  single <- stored_rows(plan, neural)
  table <- same_answers_once(seeds_as_one(single))
  kinds <- method_kinds(unique(table$method))
  sink(file.path(results, "comparison.md"))
  on.exit(sink())
  begin_page("comparison", told = sprintf(
    "%d runs of k-means, %d random sets, k = %s, %g processor seconds per fit.\n\n",
    plan$repeats, plan$random, toString(plan$sizes), plan$seconds
  ), conclusions = if (own) "none.md" else "conclusions.md")
  same_answer_list(table)

  blind <- ranked_rows(table, kinds)
  overview_table(table, kinds)
  for (metric in c("acc", "nmi")) rank_test(blind, metric)
  for (metric in c("acc", "nmi")) group_ranks(blind, metric)
  for (metric in c("acc", "nmi")) {
    for (group in names(usefulness_groups)) mean_table(table, kinds, metric, group)
  }
  seed_spread(single, neural)
  seconds_table(table, kinds)
  failure_list(table)
  utils::write.csv(rounded(as.data.frame(table)), file.path(results, "comparison.csv"),
    row.names = FALSE, na = ""
  )
}

without_seed <- function(method) sub("_seed[0-9]+$", "", method)

# a method that was run from several seeds is one row, of the means over these
seeds_as_one <- function(table) {
  seeded <- without_seed(table$method) != table$method
  if (!any(seeded)) return(table)
  own <- table[seeded, ]
  own$method <- without_seed(own$method)
  numbers <- setdiff(names(own)[vapply(own, is.numeric, NA)], "k")
  means <- stats::aggregate(own[numbers], own[c("data", "method", "k")], mean)
  means$note <- ""
  told <- paste(means$data, means$method)
  rest <- table[!seeded & !paste(table$data, table$method) %in% told, ]
  rbind(rest, means[names(table)])
}

# how far the runs of one method from several seeds agree
seed_spread <- function(table, neural) {
  seeded <- table[without_seed(table$method) != table$method, ]
  if (nrow(seeded) == 0) return(invisible())
  cat("\n## Networks by their seeds\n\n")
  cat("Mean over k of ACC and NMI, percent: mean over the seeds, standard deviation, least and\n")
  cat("largest; shared: of the first hundred features of two seeds those in both, in the\n")
  cat("mean over all pairs.\n\n")
  markdown(rows_of(split(seeded, paste(seeded$data, without_seed(seeded$method))), function(own) {
    by_seed <- function(metric) {
      value <- 100 * tapply(own[[metric]], own$method, mean)
      sprintf("%.1f, %.1f, %.1f to %.1f", mean(value), stats::sd(value), min(value), max(value))
    }
    rankings <- neural[[own$data[1]]][sub("^neural_", "", unique(own$method))]
    first <- lapply(rankings, function(ranking) ranking$columns[1:100])
    pairs <- utils::combn(length(first), 2)
    shared <- apply(pairs, 2, function(at) length(intersect(first[[at[1]]], first[[at[2]]])))
    data.frame(
      data = own$data[1], method = without_seed(own$method[1]), seeds = length(first),
      ACC = by_seed("acc_mean"), NMI = by_seed("nmi_mean"), shared = decimals(mean(shared), 1)
    )
  }))
}

# Methods whose scores are the same on every data set and at every size where both have any, up to
# `near`, and which have them on the same data sets, are one row, under the names of all: copies
# would share ranks and make the critical difference larger.
same_answers_once <- function(table, near = 5e-4) {
  scores <- lapply(split(table, table$method), function(own) {
    own <- own[!is.na(own$acc_mean), ]
    values <- c(own$acc_mean, own$nmi_mean)
    stats::setNames(values, rep(paste(own$data, own$k), 2))
  })
  same <- function(a, b) length(a) > 0L && identical(names(a), names(b)) && max(abs(a - b)) <= near
  open <- setdiff(unique(table$method), "random")
  while (length(open) > 0L) {
    first <- open[1]
    group <- c(first, Filter(function(other) same(scores[[first]], scores[[other]]), open[-1]))
    open <- setdiff(open, group)
    table <- table[!table$method %in% group[-1], ]
    table$method[table$method == first] <- paste(group, collapse = " = ")
  }
  table
}

same_answer_list <- function(table) {
  shared <- grep(" = ", unique(table$method), value = TRUE, fixed = TRUE)
  if (length(shared) > 0L) {
    cat("\nThe same answers on every data set, and one row:", paste(shared, collapse = "; "), "\n")
  }
}

# of the methods without labels that have a result on at least half of the data sets
ranked_rows <- function(table, kinds) {
  with_result <- unique(table[!is.na(table$acc_mean), c("data", "method")])
  share <- table(with_result$method) / length(unique(table$data))
  often <- names(share)[share >= 0.5]
  table[kind_of(table$method, kinds) != "labels" & table$method %in% often, ]
}

# kind: "labels" for methods that see them, "neural", "random" or the family
method_kinds <- function(methods) {
  known <- rowsparse_methods()
  at <- match(sub(" = .*", "", methods), known$method)
  family <- if (is.null(known$family)) rep("no labels", nrow(known)) else known$family
  kind <- ifelse(is.na(at), ifelse(methods == "random", "random", "neural"),
    ifelse(known$supervised[at] %in% TRUE, "labels", family[at])
  )
  data.frame(method = methods, kind = kind)
}

kind_of <- function(methods, kinds) kinds$kind[match(methods, kinds$method)]

# the best rank first, those with labels last
in_table_order <- function(table, kinds) {
  told <- summarise_methods(table)$methods$method
  told[order(kind_of(told, kinds) == "labels")]
}

overview_table <- function(table, kinds) {
  cat("\n## Overview\n\n")
  cat("Ranks, wins and shares among the methods that see no labels; those that do stand below,\n")
  cat("with means only: they know what they are judged by.\n")
  ranked <- ranked_rows(table, kinds)
  blind <- summarise_methods(ranked)$methods
  few <- table[kind_of(table$method, kinds) != "labels" & !table$method %in% ranked$method, ]
  seen <- table[kind_of(table$method, kinds) == "labels", ]
  cat("In brackets: means over the data sets on which a method has a result, where it failed on\n")
  cat("some. These do not compare with the others; the ranks do.\n")
  cells <- function(told, ranked) {
    bracket <- function(value) {
      ifelse(told$failed > 0, sprintf("(%s)", percent(value)), percent(value))
    }
    data.frame(
      method = told$method, kind = kind_of(told$method, kinds), ACC = bracket(told$acc_mean),
      NMI = bracket(told$nmi_mean),
      "rank ACC" = if (ranked) decimals(told$acc_rank, 1) else "",
      "rank NMI" = if (ranked) decimals(told$nmi_rank, 1) else "",
      "wins ACC" = if (ranked) decimals(told$acc_wins, 1) else "",
      "wins NMI" = if (ranked) decimals(told$nmi_wins, 1) else "",
      "above random" = decimals(told$above_random), "best k" = told$k_best,
      "mean s" = decimals(told$elapsed), failed = told$failed, check.names = FALSE
    )
  }
  markdown(cells(blind, TRUE))
  unranked <- function(rows) {
    told <- summarise_methods(rbind(rows, table[table$method == "random", ]))$methods
    markdown(cells(told[told$method != "random", ], FALSE))
  }
  if (nrow(few) > 0) {
    cat("\nWith results on less than half of the data sets, and not ranked:\n\n")
    unranked(few)
  }
  if (nrow(seen) > 0) unranked(seen)
}

rank_test <- function(table, metric) {
  cat(sprintf("\n## Friedman and Nemenyi, %s\n\n", toupper(metric)))
  if (length(unique(table$data)) < 2) {
    cat("One data set: no test.\n")
    return(invisible())
  }
  test <- friedman_nemenyi(table, metric)
  cat(sprintf("Blocks: %d data sets, mean over k; without result is last. chi-squared %.1f on %d",
    test$blocks, test$statistic, as.integer(test$df)
  ))
  cat(sprintf(" degrees of freedom, p = %s; critical difference %.2f.\n\n",
    format.pval(test$p_value, 2), test$critical_difference
  ))
  cat(paste0("* ", names(test$ranks), " ", decimals(test$ranks, 2), collapse = "\n"), "\n")
  gap <- test$ranks[["random"]] - test$ranks
  better <- names(gap)[gap > test$critical_difference]
  worse <- names(gap)[gap < -test$critical_difference]
  cat(sprintf("\nBetter than random sets by more than the critical difference: %s. Worse: %s.\n",
    if (length(better)) toString(better) else "none", if (length(worse)) toString(worse) else "none"
  ))
}

group_ranks <- function(table, metric) {
  ranks <- summarise_methods(table)[[paste0(metric, "_ranks")]]
  cat(sprintf("\n## Mean ranks by kind of data, %s\n", toupper(metric)))
  groups <- c(list(all = rownames(ranks)), usefulness_groups)
  means <- vapply(groups, function(sets) {
    colMeans(ranks[intersect(rownames(ranks), sets), , drop = FALSE])
  }, numeric(ncol(ranks)))
  means <- means[order(means[, "all"]), , drop = FALSE]
  cells <- cbind(rownames(means), matrix(decimals(means, 1), nrow(means)))
  sizes <- vapply(groups, function(sets) sum(rownames(ranks) %in% sets), 0L)
  colnames(cells) <- c("method", sprintf("%s (%d)", names(groups), sizes))
  markdown(cells)
}

mean_table <- function(table, kinds, metric, group) {
  sets <- intersect(unique(table$data), usefulness_groups[[group]])
  if (length(sets) == 0) return(invisible())
  cat(sprintf("\n## Mean %s over k, percent: %s\n", toupper(metric), group))
  means <- t(score_matrix(table, metric))[in_table_order(table, kinds), sets, drop = FALSE]
  cells <- cbind(rownames(means), matrix(percent(means), nrow(means)))
  colnames(cells) <- c("method", sets)
  markdown(cells)
}

seconds_table <- function(table, kinds) {
  cat("\n## Seconds of a fit\n")
  methods <- setdiff(in_table_order(table, kinds), "random")
  sets <- unique(table$data)
  once <- table[!duplicated(paste(table$data, table$method)), ]
  cross_table(sets, methods, first = "data", cell = function(set, method) {
    own <- once[once$data == set & once$method == method, ]
    if (nrow(own) == 0) return("")
    if (own$note == "limit") return("limit")
    decimals(own$elapsed)
  })
}

failure_list <- function(table) {
  failed <- table[is.na(table$acc_mean) & nzchar(table$note), ]
  failed <- failed[!duplicated(paste(failed$data, failed$method)), ]
  if (nrow(failed) == 0) return(invisible())
  cat("\n## Without result at some size\n\n")
  cat(sprintf("* %s on %s: %s\n", failed$method, failed$data, failed$note), sep = "")
}

percent <- function(value) decimals(100 * value, 1)
