# The sections of bench/results/response.md, from the rows of the parts.

table_lines <- function(first, means, digits = 3) {
  c(
    sprintf("| %s |", paste(c(first, colnames(means)), collapse = " | ")),
    sprintf("|---|%s", strrep("---:|", ncol(means))),
    sprintf("| %s | %s |", rownames(means), apply(means, 1, function(row) {
      paste(formatC(row, format = "f", digits = digits), collapse = " | ")
    })), ""
  )
}

# means of one column, rows by columns
means_table <- function(rows, value, by) {
  means <- tapply(rows[[value]], rows[by], mean)
  first <- unique(as.character(rows[[by[1]]]))
  table_lines(by[1], means[first, unique(rows[[by[2]]]), drop = FALSE])
}

overall <- function(rows, values, by) {
  means <- sapply(values, function(value) tapply(rows[[value]], rows[[by]], mean))
  table_lines(by, means[unique(rows[[by]]), , drop = FALSE])
}

real_lines <- function(rows) {
  c("## Seven regressions, five folds, k = 3, 5, 10, 20", "",
    overall(rows, c("ridge", "ols", "seconds"), "method"),
    "Ridge regression on the selected features, by size:", "",
    means_table(rows, "ridge", c("k", "method")), "and by set:", "",
    means_table(rows, "ridge", c("set", "method"))
  )
}

small_lines <- function(rows) {
  c("## The same with 60 samples, three draws, four folds", "",
    "Ridge regression on the selected features, by size:", "",
    means_table(rows, "ridge", c("k", "method"))
  )
}

simulated_lines <- function(rows) {
  c(sprintf("## Eleven simulated regimes, %d draws, k = the true size", max(rows$draw)), "",
    overall(rows, c("found", "ols", "ridge", "seconds"), "method"),
    "Share of the true features found:", "", means_table(rows, "found", c("set", "method")),
    "Error of least squares on 1000 new samples:", "", means_table(rows, "ols", c("set", "method"))
  )
}

rules_lines <- function(rows) {
  c("## The size by the two rules of cv_rowsparse(), the same regimes", "",
    "`false`: share of the chosen features that are none of the true ones.", "",
    overall(rows, c("k", "false", "found", "ols"), "rule")
  )
}

told_lines <- function(rows) {
  count <- table(rows$design)[rows$design]
  rows$design <- sprintf("%s, %d draws", rows$design, count)
  table <- sapply(split(rows, factor(rows$design, unique(rows$design))), function(own) {
    bias <- own$told - own$true
    c(
      colMeans(own[c("k", "uncorrected", "told", "true")]), bias = mean(bias),
      `its error` = stats::sd(bias) / sqrt(nrow(own)), `se told` = mean(own$se),
      `sd of told - true` = stats::sd(bias), `uncorrected - true` = mean(own$uncorrected - own$true)
    )
  })
  c("## The error that cv_rowsparse() tells, beside that of new samples", "",
    "Means over the draws, by the default method and rule: `told`, corrected for the choice, as",
    "`cv$corrected` has it; `true`: of the fit returned, on 3000 new samples; `its error`: the",
    "standard error of the mean `bias`, told - true. In `wide, five alike` folds learn from 54",
    "samples, the fit from 60: this hides part of what the choice gains, and `told` is too high.",
    "", table_lines("design", t(table))
  )
}

limits_lines <- function(rows) {
  table <- stats::aggregate(cbind(free, limited, moved) ~ method + k + set, rows, mean)
  c("## Predictions held to half the range of the response beyond it", "",
    "Three pixels of digits from the others that do not correlate with them by more than 0.9,",
    "1000 other digits, twelve draws; and the seven regressions, five folds. `moved`: the share",
    "of the new samples that the limit holds back.", "",
    "| set | k | method | error without | error with it | moved |",
    "|---|---:|---|---:|---:|---:|",
    sprintf("| %s | %d | %s | %.3f | %.3f | %.4f |", table$set, as.integer(table$k), table$method,
      table$free, table$limited, table$moved
    ), ""
  )
}

classes_lines <- function(rows) {
  c(
    sprintf("## Classes: %d sets, features by alignment in five folds, k = 5, 20, 50",
      length(unique(rows$set))
    ), "",
    "`discriminants`: what `predict()` gives; `sums`: the same for fits of moments.",
    "`indicators`: least squares on the indicators,",
    "whose fitted values, cut to 0.001 and more, are divided by their sum. Probabilities below",
    "1e-6 count as that.", "",
    overall(rows, c("error", "balanced", "log_loss"), "model"),
    "Error by size:", "", means_table(rows, "error", c("k", "model")),
    "Logarithmic loss by size:", "", means_table(rows, "log_loss", c("k", "model")),
    "Error by set:", "", means_table(rows, "error", c("set", "model"))
  )
}

choice_lines <- function(rows) {
  rows$error <- (rows$classifier + rows$neighbours) / 2
  rows$shape <- cut(rows$shape, c(0, 0.2, 5, Inf), c("tall: n > 5 d", "middle", "wide: d > 5 n"))
  c(
    sprintf("## The default for classes: %d sets, two splits, k = 3, 5, 10, 20",
      length(unique(rows$set))
    ), "",
    "Mean wrong share of two judges on the 30 of 100 samples left out: the classifier of",
    "`predict()` and five nearest neighbours on the selected features. Means are over the sets.",
    "The sets with labels also served to choose the default, the regressions in thirds did not.",
    "", overall(rows, c("classifier", "neighbours", "error", "seconds"), "method"),
    "By shape:", "", means_table(rows, "error", c("shape", "method")), "By size:", "",
    means_table(rows, "error", c("k", "method")), "By set:", "",
    means_table(rows, "error", c("set", "method"))
  )
}

response_parts <- list(
  real = list(run = run_real, lines = real_lines),
  small = list(run = run_small, lines = small_lines),
  simulated = list(run = run_simulated, lines = simulated_lines),
  rules = list(run = run_rules, lines = rules_lines),
  told = list(run = run_told, lines = told_lines),
  limits = list(run = run_limits, lines = limits_lines),
  classes = list(run = run_classes, lines = classes_lines),
  choice = list(run = run_choice, lines = choice_lines)
)

# lines by their headings, the first of which is that of the page
sections <- function(lines) {
  parts <- unname(split(lines, cumsum(startsWith(lines, "## ")) + 1L))
  stats::setNames(parts, vapply(parts, function(part) sub("[,:] [0-9]+ .*", "", part[1]), ""))
}

# sections without rows stay as they are on the page
write_response <- function(page) {
  lines <- c(
    "# How well a response is served", "",
    "    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/response.R", "",
    "Errors of numbers are squared errors as shares of that of the mean; `seconds` are processor",
    "seconds of a fit. `default` is `rowsparse(x, y, k)`: `cdlsr(ridge = \"cv\")`.", ""
  )
  for (part in names(response_parts)) {
    rows <- kept_or_null(file_of(part))
    if (!is.null(rows)) lines <- c(lines, response_parts[[part]]$lines(rows))
  }
  new <- sections(lines)
  known <- if (file.exists(page)) sections(readLines(page))
  known[names(new)] <- new
  writeLines(unlist(unname(known)), page)
}
