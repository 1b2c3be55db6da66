# bench/results/genes.md and .csv, from what is in the store.

write_gene_tables <- function(plan) {
  results <- file.path("bench", "results")
  rows <- gene_rows()
  sink(file.path(results, "genes.md"))
  on.exit(sink())
  begin_page("genes")
  gene_bar(rows)
  gene_overview(rows)
  for (measure in c("purity", "ari")) gene_set_tables(rows, measure)
  mixing_table(rows)
  gene_seconds(rows)
  utils::write.csv(rounded(rows), file.path(results, "genes.csv"), row.names = FALSE, na = "")
}

# one row per set, method, block and k; random sets as their mean
gene_rows <- function() {
  files <- stored("genes")
  rows <- rows_of(seq_len(nrow(files)), function(i) {
    kept <- readRDS(files$file[i])
    random <- is.matrix(kept)
    measures <- if (random) colMeans(kept) else kept$measures
    if (is.null(measures)) measures <- c(purity = NA_real_, ari = NA_real_, mixing = NA_real_)
    data.frame(
      data = files$data[i], method = as_called(sub("[+]block$", "", files$label[i])),
      block = endsWith(files$label[i], "+block"), k = files$k[i], t(measures),
      sd = if (random) stats::sd(kept[, "purity"]) else NA_real_,
      genes = if (random) files$k[i] else length(kept$selected),
      seconds = if (random) NA_real_ else kept$cpu, note = if (random) "" else kept$note
    )
  })
  rows <- rows[rows$data %in% gene_sets, ]
  rows[order(match(rows$data, gene_sets), rows$k, rows$block, rows$method), ]
}

# labels as they were written: file names have lost their spaces
as_called <- function(label) gsub("=", " = ", label)

# matrix of one measure: methods by sets
gene_matrix <- function(rows, measure, k, methods = sort(unique(rows$method[rows$k == k]))) {
  rows <- rows[rows$k == k, ]
  tapply(rows[[measure]], list(factor(rows$method, methods), factor(rows$data, gene_sets)), mean)
}

plain_rows <- function(rows) rows[!rows$block & !grepl("[(]", rows$method), ]

# the methods by their mean purity over the sets and k = 50 and 200, those with misses last
gene_order <- function(rows) {
  both <- rows[rows$k %in% c(50, 200), ]
  mean <- tapply(both$purity, both$method, mean)
  names(mean)[order(is.na(mean), -mean)]
}

gene_bar <- function(rows) {
  cat("## The default beside scran: purity\n")
  rows <- plain_rows(rows)
  for (k in sort(unique(rows$k))) {
    purity <- gene_matrix(rows, "purity", k)
    if (!all(c("fspca", "scran") %in% rownames(purity))) next
    first <- c("fspca", "scran", "seurat_vst", "variance", "alignment", "random")
    shown <- intersect(first, rownames(purity))
    cat(sprintf("\nk = %d\n", k))
    markdown(cbind(method = shown, labelled(purity[shown, , drop = FALSE], 3)))
    difference <- purity["fspca", ] - purity["scran", ]
    cat(sprintf("\nfspca is at or above scran on %d of %d sets; the difference is %s to %s.\n",
      sum(difference >= 0, na.rm = TRUE), sum(!is.na(difference)),
      decimals(min(difference, na.rm = TRUE), 3), decimals(max(difference, na.rm = TRUE), 3)
    ))
  }
}

labelled <- function(matrix, digits) {
  cells <- matrix(decimals(matrix, digits), nrow(matrix))
  colnames(cells) <- colnames(matrix)
  cells
}

gene_overview <- function(rows) {
  cat("\n## Means over the sets\n\n")
  cat("In brackets: without the sets on which there is no result. These do not compare with\n")
  cat("the others.\n")
  rows <- plain_rows(rows)
  methods <- gene_order(rows)
  sizes <- sort(unique(rows$k))
  columns <- lapply(c("purity", "ari"), function(measure) {
    cells <- vapply(sizes, function(k) {
      values <- gene_matrix(rows, measure, k, methods)
      mean <- decimals(rowMeans(values, na.rm = TRUE), 3)
      short <- rowSums(is.na(values)) > 0
      ifelse(rowSums(!is.na(values)) == 0, "-", ifelse(short, sprintf("(%s)", mean), mean))
    }, character(length(methods)))
    colnames(cells) <- sprintf("%s %d", if (measure == "ari") "ARI" else measure, sizes)
    cells
  })
  misses <- tapply(is.na(rows$purity), rows$method, sum)[methods]
  markdown(cbind(method = methods, do.call(cbind, columns), "no result" = misses))
}

gene_set_tables <- function(rows, measure) {
  rows <- plain_rows(rows)
  methods <- gene_order(rows)
  for (k in sort(unique(rows$k))) {
    cat(sprintf("\n## %s, k = %d\n", if (measure == "ari") "ARI" else "Purity", k))
    markdown(cbind(method = methods, labelled(gene_matrix(rows, measure, k, methods), 3)))
  }
}

# with and without the batches as blocks
mixing_table <- function(rows) {
  rows <- rows[!is.na(rows$mixing) & !grepl("[(]", rows$method), ]
  cat("\n## Batches: mixing and purity, without / with `block`\n\n")
  cat("Mixing is 1 where the neighbours are of the batches as cells drawn at random would be.\n")
  for (name in unique(rows$data)) {
    cat(sprintf("\n%s\n", name))
    own <- rows[rows$data == name, ]
    pair <- function(method, k, measure) {
      at <- own$method == method & own$k == k
      value <- function(block) {
        found <- own[[measure]][at & own$block == block]
        if (length(found) == 1) decimals(found, 3) else "-"
      }
      paste(value(FALSE), "/", value(TRUE))
    }
    methods <- intersect(gene_order(plain_rows(rows)), own$method)
    sizes <- sort(unique(own$k))
    cells <- do.call(cbind, lapply(c("mixing", "purity"), function(measure) {
      cells <- outer(methods, sizes, Vectorize(function(method, k) pair(method, k, measure)))
      colnames(cells) <- sprintf("%s %d", measure, sizes)
      cells
    }))
    markdown(cbind(method = methods, cells))
  }
}

gene_seconds <- function(rows) {
  cat("\n## Processor seconds of a fit with k = 200\n")
  rows <- plain_rows(rows)
  rows <- rows[rows$k == 200 & rows$method != "random", ]
  methods <- intersect(gene_order(plain_rows(rows)), rows$method)
  cross_table(methods, gene_sets, function(method, set) {
    own <- rows[rows$method == method & rows$data == set, ]
    if (nrow(own) == 0) return("")
    if (own$note == "limit") return("over the limit")
    if (is.na(own$purity)) return("error")
    decimals(own$seconds, 1)
  })
  failed <- unique(rows[nzchar(rows$note) & rows$note != "limit", c("method", "data", "note")])
  if (nrow(failed) > 0) {
    cat("\n")
    cat(sprintf("* %s on %s: %s\n", failed$method, failed$data, failed$note), sep = "")
  }
}
