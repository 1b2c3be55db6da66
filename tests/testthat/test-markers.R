# Types of samples in rules and tables: against counts of pairs.

auc_of_pairs <- function(x, type) {
  wins <- function(a, b) (a > b) + (a == b) / 2
  of_type <- function(v, t) mean(outer(v[type == t], v[type != t], wins))
  sapply(levels(type), function(t) apply(x, 2, of_type, t))
}
type <- factor(rep(c("a", "b", "rare"), c(20, 15, 5)))
x <- from_seed(3, matrix(rpois(40 * 30, 0.8), 40, dimnames = list(NULL, paste0("g", 1:30))))
x[type == "rare", 1:4] <- x[type == "rare", 1:4] + 2
x[type == "b", 3:9] <- x[type == "b", 3:9] - 1 # below zero, too
auc <- auc_of_pairs(x, type)
best <- function(a, count) names(a)[a >= max(0.6, sort(a, decreasing = TRUE)[count])]

test_that("the markers of types are in the panel, of all kinds of data and by all methods", {
  rules <- panel_rules(types = type, at_least = c(rare = 3, b = 1))
  expect_output(print(rules), "at least 1 of \"b\".*at least 3 of \"rare\"")
  for (method in c("fspca", "css", "alignment", "cdlsr")) {
    set <- selected(rowsparse(x, type, 5, method, rules = rules))
    sparse <- rowsparse(methods::as(x, "CsparseMatrix"), type, 5, method, rules = rules)
    expect_setequal(selected(sparse), set)
    expect_gte(sum(set %in% best(auc[, "rare"], 10)), 3)
    expect_gte(sum(set %in% best(auc[, "b"], 10)), 1)
  }
  expect_each_refused("rules",
    "got 0 of 'rare'. Give numbers by type" =
      css(x, 5, rules = rules, exclude = which(auc[, "rare"] >= 0.6)),
    "moments" = css(moments(x), 5, rules = rules), "unless there are `types` or classes" =
      css(x, 5, rules = panel_rules(candidates = 3))
  )
})

test_that("types are those of the samples that are left, in subsets, folds and alternatives", {
  skip_if_not_installed("SummarizedExperiment")
  rules <- panel_rules(types = "type", at_least = 1, candidates = 6)
  expect_output(print(rules), "each type of type.*among the best 6 markers")
  object <- SummarizedExperiment::SummarizedExperiment(list(logcounts = t(x)),
    colData = data.frame(type = type)
  )
  left <- c(1:30, 36:40)
  fit <- rowsparse(object, "type", 4, "cdlsr", ridge = 1, rules = rules, subset = left)
  inside <- panel_rules(types = type[left], at_least = 1, candidates = 6)
  same <- cdlsr(x[left, ], type[left], 4, ridge = 1, rules = inside)
  expect_identical(selected(fit), selected(same))
  table <- alternatives(object[, left], fit, seconds = 5)$features
  of_type <- apply(auc_of_pairs(x[left, ], type[left]), 2, best, 6)
  expect_false(any(unlist(of_type) %in% table$feature[table$locked %in% "rules" & !table$selected]))
  expect_length(cv_rowsparse(object, "type", 4, "cdlsr", rules = rules, folds = 4)$columns, 4)
  few <- panel_rules(candidates = paste0("g", 5:8))
  expect_setequal(selected(cdlsr(x, type, 5, include = "g1", rules = few)), paste0("g", c(1, 5:8)))
  expect_refused(css(x, 5, rules = few), "rules", "leave k = 5")
})

test_that("fits tell the class that a feature marks, and how well", {
  table <- as.data.frame(cdlsr(x, type, 5, weights = rep(1:2, 20), scale = TRUE))[1:5, ]
  at <- max.col(abs(auc - 0.5), "first")[table$index]
  expect_identical(table$marks, levels(type)[at])
  expect_equal(table$auc, auc[cbind(table$index, at)])
  expect_true(all(as.data.frame(alignment(x, factor(type == "a"), k = 3))$auc[1:3] >= 0.5))
  expect_true(all(is.na(as.data.frame(cdlsr(moments(x, type), k = 2))$marks)))
})
