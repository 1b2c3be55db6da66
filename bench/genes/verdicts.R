# bench/results/genes_by_set.md and .csv: what PART=evidence has left.

write_verdicts <- function() {
  rows <- evidence_table()
  results <- file.path("bench", "results")
  sink(file.path(results, "genes_by_set.md"))
  on.exit(sink())
  begin_page("genes", "by_set_protocol.md", conclusions = "by_set_conclusions.md")
  rivals <- intersect(
    c("scran", "vst", "dispersion", "deviance", "variance", "alignment"), rows$method
  )
  told <- rows_of(rivals, function(rival) verdicts(rows, "default", rival))
  verdict_counts(told, rivals)
  set_values(rows)
  for (rival in rivals) verdict_table(told, rival)
  utils::write.csv(rounded(condensed(rows)), file.path(results, "genes_by_set.csv"),
    row.names = FALSE, na = ""
  )
}

evidence_table <- function() {
  files <- list.files(file.path(store_folder, "evidence-1"), "[.]csv$", recursive = TRUE,
    full.names = TRUE
  )
  parts <- lapply(files, function(file) tryCatch(utils::read.csv(file), error = function(e) NULL))
  rows <- do.call(rbind, Filter(function(part) NROW(part) > 0, parts))
  rows[order(match(rows$data, evidence_sets()), rows$method, rows$k, rows$half), ]
}

# a line a set, method and size: on all cells, and the mean over the halves
condensed <- function(rows) {
  keys <- c("data", "method", "k")
  whole <- rows[rows$half == 0, c(keys, "all", "rare", "seconds")]
  halves <- stats::aggregate(cbind(all, rare) ~ data + method + k, rows[rows$half > 0, ], mean)
  names(halves)[4:5] <- c("all_halves", "rare_halves")
  both <- merge(whole, halves, by = keys, all.x = TRUE)
  both[order(match(both$data, evidence_sets()), both$method, both$k), ]
}

# one row a set, size and column (all, rare): the difference of `ours` to `rival` on all cells,
# its standard error from the halves, and what follows
verdicts <- function(rows, ours, rival) {
  pair <- merge(rows[rows$method == ours, ], rows[rows$method == rival, ],
    by = c("data", "k", "half")
  )
  cells <- split(pair, list(pair$data, pair$k), drop = TRUE)
  rows_of(cells, function(cell) {
    rows_of(c("all", "rare"), function(column) {
      difference <- cell[[paste0(column, ".x")]] - cell[[paste0(column, ".y")]]
      data.frame(data = cell$data[1], k = cell$k[1], rival = rival, column = column,
        verdict_of(difference[cell$half == 0], difference[cell$half > 0])
      )
    })
  })
}

# Half samples vary as much as whole ones differ from the truth: their deviation is the
# standard error.
verdict_of <- function(whole, halves) {
  error <- stats::sd(halves)
  tie <- abs(whole) <= max(least_difference, 2 * error) || whole * mean(halves) <= 0
  data.frame(difference = whole, error = error,
    verdict = if (tie) "tie" else if (whole > 0) "ahead" else "behind"
  )
}

is_cells <- function(data) data %in% gene_sets

count_text <- function(verdict) {
  paste(vapply(c("ahead", "tie", "behind"), function(v) sum(verdict == v), 0), collapse = " / ")
}

verdict_counts <- function(told, rivals) {
  cat("## The default: on how many sets it is ahead / ties / is behind\n")
  for (kind in c("single cells", "arrays")) {
    own <- told[is_cells(told$data) == (kind == "single cells"), ]
    if (nrow(own) == 0) next
    for (column in c("all", "rare")) {
      cat(sprintf("\n%s, %s\n", kind, c(all = "all types", rare = "rare types")[[column]]))
      cross_table(rivals, evidence_sizes, function(rival, k) {
        count_text(own$verdict[own$rival == rival & own$k == k & own$column == column])
      }, paste("k =", evidence_sizes), "default against")
    }
  }
}

set_values <- function(rows) {
  cat("\n## Purity of the default, all types | rare types, and of random genes\n")
  values <- function(method) {
    own <- rows[rows$half == 0 & rows$method == method, ]
    sets <- intersect(evidence_sets(), own$data)
    cross_table(sets, evidence_sizes, function(set, k) {
      at <- own$data == set & own$k == k
      if (!any(at)) return("-")
      sprintf("%s \\| %s", decimals(own$all[at], 3), decimals(own$rare[at], 3))
    }, paste("k =", evidence_sizes), "set")
  }
  values("default")
  cat("\nRandom genes (one draw)\n")
  values("random")
}

verdict_table <- function(told, rival) {
  own <- told[told$rival == rival, ]
  cat(sprintf("\n## The default less %s\n\n", rival))
  cat("All types | rare types. Bold: ahead; in brackets: behind; else a tie.\n")
  sets <- intersect(evidence_sets(), own$data)
  cell <- function(set, k, column) {
    at <- which(own$data == set & own$k == k & own$column == column)
    if (length(at) == 0) return("-")
    text <- sprintf("%+.3f", own$difference[at])
    switch(own$verdict[at], ahead = paste0("**", text, "**"), behind = sprintf("(%s)", text), text)
  }
  cross_table(sets, evidence_sizes, function(set, k) {
    both <- c(cell(set, k, "all"), cell(set, k, "rare"))
    if (both[1] == "-") "-" else paste(both, collapse = " \\| ")
  }, paste("k =", evidence_sizes), "set")
}
