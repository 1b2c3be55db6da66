# Samples belong in rows. These guards catch a table that lies on its side.

check_orientation <- function(x, y = NULL) {
  check_readable(x, "x")
  size <- dim(x)
  if (length(size) != 2L || is_experiment(x)) {
    return(invisible())
  }
  refuse_if(!is.null(y) && isTRUE(NROW(y) == size[2]) && NROW(y) != size[1], "orientation", "y",
    sprintf("must have one entry per sample (row of `x`: %d)", size[1]),
    sprintf("%d, the number of columns", size[2]), "If the samples are in the columns, pass t(x)"
  )
  rows <- rownames(x)
  refuse_if(looks_like_genes(rows) && !looks_like_genes(colnames(x)), "orientation", "x",
    "must have samples in rows and features in columns", sprintf("row names like \"%s\"", rows[1]),
    "Pass t(x), or remove its row names if the rows are samples"
  )
  if (is.null(y)) tell_orientation(x)
}

# Cells in columns: barcodes there, or a sparse matrix of many rows, where names do not say that
# columns are features
tell_orientation <- function(x) {
  most <- function(pattern, names) isTRUE(mean(grepl(pattern, names, perl = TRUE)) > 0.5)
  numbered <- function(names) length(unique(sub("[0-9]+$", "", names))) == 1L
  barcode <- "^(.*[_#:.-])?[ACGT]{8,}([-_.][0-9]+)*$"
  word <- "^[A-Za-z][A-Za-z0-9.-]*$"
  rows <- rownames(x)
  columns <- colnames(x)
  sparse <- is_of(x, "sparseMatrix")
  tall <- sparse && nrow(x) > 3 * ncol(x) && !is.null(rows) && !most("^[0-9]+$", rows) &&
    (!most(word, columns) || (numbered(columns) && !numbered(rows)))
  if (!most(barcode, rows) && (tall || (most(barcode, columns) && most(word, rows)))) {
    say_rowsparse("orientation", sprintf(paste(
      "`x` has %d rows like %s and %d columns. Rows are taken for samples: if they are genes,",
      "pass %st(x)."
    ), nrow(x), quoted(rows[1]), ncol(x), if (sparse) "Matrix::" else ""))
  }
}

# identifiers of genes, probes, transcripts and variants
gene_patterns <- c(
  "^ENS[A-Z]{0,6}[0-9]{6,}([.][0-9]+)?$", "^[NX][MRP]_[0-9]+", "_([a-z]_)?at$", "^AFFX",
  "^ILMN_[0-9]+$", "^c[gh][0-9]{6,}$", "^rs[0-9]{3,}$", "^[a-z]{3}-(mir|miR|let)-",
  "^LOC[0-9]+$", "^FBgn[0-9]+$", "^AT[1-5MC]G[0-9]{5}$"
)

# and genes that hardly any expression table lacks
common_genes <- c(
  "ACTB", "GAPDH", "B2M", "MALAT1", "EEF1A1", "RPLP0", "TP53", "TUBB", "PGK1", "HPRT1", "YWHAZ",
  "VIM"
)

looks_like_genes <- function(names) {
  probes <- grepl(paste(gene_patterns, collapse = "|"), names)
  isTRUE(mean(probes) > 0.5) || sum(common_genes %in% toupper(names)) >= 3
}
