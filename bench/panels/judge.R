# Does compare_panels() rank panels as held-out types do? Variable genes of scran, the largest
# variances and the default without labels, chosen on two thirds of the cells; judged on the others
# by compare_panels(), and by the F1 of rules that learn from the first two thirds.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/panels/judge.R > bench/results/panels_judge.md
source(file.path("bench", "common.R"))
source(file.path("bench", "panels", "macro.R"))

sizes <- c(20, 50, 200)
least_gap <- 0.03
splits <- 1:4

unlabelled_panels <- function(x, k) {
  list(
    scran = match(scran::getTopHVGs(scran::modelGeneVar(Matrix::t(x)), n = k), colnames(x)),
    largest = rowsparse(x, k = k, method = "variance")$selected,
    default = rowsparse(x, k = k, method = "fspca", solver = "go")$selected
  )
}

judged_split <- function(data, seed) {
  train <- training_cells(data$type, seed)
  test <- setdiff(seq_along(data$type), train)
  rows_of(sizes, function(k) {
    panels <- quiet(unlabelled_panels(data$x[train, ], k))
    told <- quiet(compare_panels(panels, data$x[test, ], data$type[test], random = 1, seed = 1))
    data.frame(set = data$name, split = seed, k = k, panel = names(panels),
      macro = vapply(panels, function(panel) macro(data, panel, train, test), 0),
      as.data.frame(told)[seq_along(panels), c("explained", "kept", "same", "f1", "lowest_f1")],
      row.names = NULL
    )
  })
}

# differences of the three panels, a row for each pair
pairs_of <- function(rows) {
  rows_of(list(1:2, c(1, 3), 2:3), function(pair) {
    as.data.frame(lapply(rows[5:10], function(value) diff(value[pair])))
  })
}

all <- rows_of(panel_sets, function(name) {
  data <- panel_data(name)
  rows_of(splits, function(seed) judged_split(data, seed))
})
gaps <- rows_of(split(all, list(all$set, all$split, all$k), drop = TRUE), pairs_of)
gaps <- gaps[abs(gaps$macro) > least_gap, ]
agree <- colMeans(sign(gaps[-1]) == sign(gaps$macro))
means <- aggregate(all[5:10], all[c("set", "k", "panel")], mean)

cat("# Does compare_panels() rank panels as held-out types do?\n\n")
cat(sprintf(paste("Seven sets, %d splits, k = %s: of %d pairs of panels whose macro F1 on held-out",
  "cells differs by more than %g, the share that each column orders alike:\n\n"
), length(splits), toString(sizes), nrow(gaps), least_gap))
print(knitr::kable(t(round(agree, 3)), "pipe"))
cat(sprintf("\nThree in four are asked for: `same` %s.\n\n",
  if (agree[["same"]] >= 0.75) "has them" else "does not have them"
))
print(knitr::kable(means[order(means$set, means$k), ], "pipe", digits = 3, row.names = FALSE))
cat("\n", machine(), "\n", sep = "")
