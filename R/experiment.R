# SummarizedExperiment and what is made of it (SingleCellExperiment, DESeqDataSet):
# features in rows, samples in columns, several matrices, called assays, and tables of
# the features and of the samples. What the package takes from there is read here, and
# everything behind sees ordinary data.

#' SummarizedExperiment, SingleCellExperiment and Seurat objects
#'
#' Every function of the package that takes data also takes a `SummarizedExperiment` or a class
#' derived from it, such as a `SingleCellExperiment`: features are its rows and samples its
#' columns. [rowsparse()] can return it with the result inside.
#'
#' @section What is read:
#' The assay named by `assay`; else `"logcounts"` where it exists, else the first. Assays may be
#' matrices, sparse matrices or `DelayedMatrix` objects, for instance in files. A sparse assay is
#' never made dense. A `DelayedMatrix` is read into memory if it takes at most a quarter of it,
#' and at most a gigabyte if it is sparse, and otherwise by [row_blocks()], with a message of
#' class `rowsparse_message_blocks`; [moments()] always read it by blocks. A sparse matrix of
#' counts above these sizes is also read by blocks, and not copied as a whole. Counts in blocks
#' are read once for the library sizes; sparse counts that take at most a quarter of the memory
#' stay in it, in three or four bytes each, and others are read again and normalised in every
#' pass. Alternative experiments (`altExps`) and reduced dimensions are not read; row data
#' only for names and symbols of genes.
#'
#' @section Raw counts:
#' If there is no assay `"logcounts"` and `assay` names none, an assay of raw counts is normalised
#' as by [log_counts()]. Raw counts are whole numbers, none negative and some above 1. In an assay
#' whose name ends in `count` or `counts` they may be fractions, such as estimated or corrected
#' counts, if some are above 100, larger than logarithms can be. The size factors are those of
#' `colData(x)$sizeFactor`, where `sizeFactors(x)` keeps them, or else the library sizes; a
#' message of class `rowsparse_message_counts` says so. They have mean 1 among the samples that
#' are read, separately in a fit and in new data: where the two differ in depth, normalise them
#' together first. With `assay = "counts"` counts are used as they are, with a message that they
#' are counts. A message of this class also reports fractions that are used as they are (some
#' above 100 in another assay, or none above 100 in an assay called counts), unless `assay` names
#' the assay. Samples without any count cannot be normalised: an error of class
#' `rowsparse_error_zero` gives their number and the first of them.
#'
#' @section Repeated names:
#' Gene symbols may repeat. Repeated row names of an experiment are changed by [make.unique()]:
#' the copies of `"GAPDH"` become `"GAPDH"`, `"GAPDH.1"` and so on in their order, with a message
#' of class `rowsparse_message_names`. Other kinds of data with repeated names are refused.
#'
#' @section Symbols of genes:
#' Where the rows are named by identifiers, `include`, `exclude` and the `sets` of
#' [panel_rules()] may hold symbols: a string that is no row name is looked up in the column of
#' `rowData(x)` named `symbol`, `gene_symbol`, `gene_name`, `feature_name` or similar, in upper or
#' lower case, and stands for all rows with this symbol. A message of class
#' `rowsparse_message_symbols` names the column; `sets` are looked up by [rowsparse()] only.
#'
#' @section Tables of the samples:
#' Wherever a function takes x and y, `y` may be one string, the name of a column of `colData(x)`.
#' `block` may be one name, several names or a formula of columns (see "Batches" in
#' [rowsparse()]). `subset` in [rowsparse()] chooses samples.
#'
#' @section Results:
#' With `return = "object"` [rowsparse()] returns x with the columns `rowsparse_score`,
#' `rowsparse_rank` (1 is best) and `rowsparse_selected` in `rowData(x)`, and the fit
#' in `metadata(x)$rowsparse`. `x[rowData(x)$rowsparse_selected, ]` holds the selected features. A
#' second result replaces the first, with a message of class `rowsparse_message_replaced`: to keep
#' both, first rename these columns and the element of `metadata(x)`. `predict(fit, newx)`
#' restricts another experiment to the selected features, or projects it. Features are matched by
#' name, in any order; if some are missing, the error gives their number and the first name. An
#' assay that was named in the fit is used here as well.
#'
#' @section Seurat objects:
#' Seurat objects also have cells in columns. Take the matrix out:
#' ```
#' x <- Matrix::t(SeuratObject::GetAssayData(object))
#' fit <- rowsparse(x, k = 500)
#' SeuratObject::VariableFeatures(object) <- selected(fit)
#' ```
#' `GetAssayData()` gives the log-normalised values of the default assay. Before `NormalizeData()`
#' it gives the counts: use `x <- log_counts(x)`. In Seurat 5, split layers have to be joined
#' first, by `JoinLayers()`; there `SeuratObject::LayerData(object, "data")` gives the same
#' matrix. As `block` pass a column of the metadata, `block = object$batch`.
#'
#' @name experiments
#' @seealso [rowsparse()], [log_counts()], [predict.rowsparse()]
#' @examples
#' if (interactive() && requireNamespace("SingleCellExperiment", quietly = TRUE)) {
#'   set.seed(1)
#'   type <- rep(c("T", "B", "NK"), each = 20)
#'   mean <- matrix(5, 200, 60)
#'   mean[1:10, type == "T"] <- 15
#'   mean[11:20, type == "B"] <- 15
#'   counts <- matrix(rpois(200 * 60, mean), 200, dimnames = list(
#'     paste0("gene", 1:200), paste0("cell", 1:60)
#'   ))
#'   sce <- SingleCellExperiment::SingleCellExperiment(
#'     list(counts = counts), colData = data.frame(type = type)
#'   )
#'
#'   # counts only: normalised, and said so; or do it yourself
#'   fit <- rowsparse(sce, k = 6)
#'   sce <- log_counts(sce)
#'   fit <- rowsparse(sce, k = 6)
#'   fit
#'
#'   # with classes, from one part of the cells; the object comes back
#'   sce <- rowsparse(sce, y = "type", k = 6, subset = seq(1, 60, 2), return = "object")
#'   head(SummarizedExperiment::rowData(sce))
#'
#'   # the other cells, restricted to the selected genes
#'   predict(fit, sce[, seq(2, 60, 2)])
#' }
NULL

is_experiment <- function(x) inherits(x, "SummarizedExperiment")

check_experiment <- function(x, argument = "x") {
  if (!requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    stop_rowsparse("package", argument, "needs the package SummarizedExperiment to be read")
  }
}

# ---- the assay -----------------------------------------------------------------

experiment_input <- function(x, assay, argument) {
  values <- experiment_matrix(x, assay, argument, delayed = "large")
  raw <- if (inherits(values, "rowsparse_blocks")) {
    blocks_input(values, argument)
  } else if (inherits(values, "sparseMatrix")) {
    sparse_input(values, argument)
  } else {
    dense_input(values, argument)
  }
  raw$assay <- assay
  raw$identifiers <- experiment_identifiers(x)
  raw
}

# an experiment as a matrix or dgCMatrix, samples in rows; other data as they are
plain_samples <- function(x, assay = NULL) {
  if (is_experiment(x)) experiment_matrix(x, assay, "x") else x
}

# Raw counts are normalised unless the caller named their assay. `features`: only these
# rows, under their own names; names are made distinct where all are taken. `delayed`: what
# stays outside of memory: "none", "large" assays, or "all"; made into row blocks by `blocks`
experiment_matrix <- function(x, assay, argument, features = NULL, delayed = "none",
                              blocks = row_blocks) {
  check_experiment(x, argument)
  check_names_given(rownames(x), argument)
  chosen <- choose_assay(x, assay, argument)
  as_named <- !is.null(assay) || "logcounts" %in% SummarizedExperiment::assayNames(x)
  early <- !is.null(features) && as_named
  if (early) x <- x[features, ]
  held <- assay_matrix(x, chosen, argument)
  said <- is_called_counts(x, chosen)
  names <- if (is.null(features)) distinct_names(rownames(x), argument)
  large <- delayed == "large" && is.null(features)
  values <- if (large && !as_named && are_large_counts(held, said)) {
    say_in_blocks(rev(dim(held)), TRUE, argument)
    columns_in_blocks(held, names)
  } else {
    named_samples(held, names, argument, if (early) "none" else delayed)
  }
  if (inherits(values, "DelayedMatrix")) {
    if (large) say_in_blocks(dim(values), DelayedArray::is_sparse(values), argument)
    values <- blocks(values)
  }
  seen <- if (inherits(values, "rowsparse_blocks")) {
    look_at_counts(values, said, argument, in_part = as_named)
  } else {
    list(look = look_of(values, said))
  }
  told <- sprintf("%s of `%s` holds", assay_words(x, chosen), argument)
  if (seen$look == "counts" && !as_named) {
    values <- normalised_counts(values, x, told, argument, seen)
  } else if (seen$look == "counts" || is.null(assay)) {
    say_as_they_are(seen$look, told)
  }
  if (is.null(features) || early) values else take_features(values, features)
}

# samples in rows, with these names of the features where they are given
named_samples <- function(held, names, argument, delayed) {
  values <- sample_rows(held, argument, delayed)
  if (!is.null(names)) colnames(values) <- names
  values
}

# `seen`: what look_at_counts() tells of row blocks
normalised_counts <- function(values, x, told, argument, seen) {
  sizes <- seen$sizes
  factors <- stored_size_factors(x)
  by <- if (is.null(factors)) "library sizes" else "the size factors in colData"
  if (!is.null(sizes)) names(sizes) <- colnames(x)
  factors <- resolve_size_factors(factors, values, 1L, argument, sizes)
  say_rowsparse("counts", sprintf(
    "%s raw counts only: normalised as log_counts() does, by %s; `assay` takes them as they are.",
    told, by
  ))
  log_by_sample(values, factors, 1L, seen$packed)
}

# what is not normalised and does not look as if it need not be
say_as_they_are <- function(look, told) {
  holds <- switch(look,
    counts = "raw counts", large = "fractions, and values above 100, which no logarithms are",
    small = "fractions, and no value above 100, as logarithms do"
  )
  if (!is.null(holds)) {
    way <- if (look != "small") "; log_counts() normalises"
    say_rowsparse("counts", paste0(told, " ", holds, ": taken as they are", way, "."))
  }
}

# "counts", "raw_counts", "decontXcounts", but not "logcounts" or "normcounts"
is_called_counts <- function(x, chosen) {
  name <- tolower(SummarizedExperiment::assayNames(x)[chosen])
  is_text(name) && grepl("counts?$", name, useBytes = TRUE) &&
    !grepl("log|norm|scale", name, useBytes = TRUE)
}

assay_words <- function(x, chosen) {
  name <- SummarizedExperiment::assayNames(x)[chosen]
  paste("assay", if (is_text(name) && nzchar(name)) quoted(name) else chosen)
}

# number of the assay: the one asked for, or logcounts, or the first
choose_assay <- function(x, assay, argument, usual = "logcounts") {
  known <- SummarizedExperiment::assayNames(x)
  count <- length(SummarizedExperiment::assays(x, withDimnames = FALSE))
  if (count == 0L) {
    stop_rowsparse("size", argument, "must have an assay", "none")
  }
  if (is.null(assay)) {
    return(if (usual %in% known) match(usual, known) else 1L)
  }
  if (is.character(assay) && length(assay) == 1L && assay %in% known) {
    return(match(assay, known))
  }
  if (is_number(assay) && assay %in% seq_len(count)) {
    return(as.integer(assay))
  }
  names <- if (length(known) > 0) paste0("\"", known, "\"", collapse = ", ") else "no names here"
  stop_rowsparse("choice", "assay",
    sprintf("must be one of the assays (%s) or a number from 1 to %d", names, count),
    describe(assay)
  )
}

# features in rows: a matrix, a dgCMatrix or a DelayedMatrix
assay_matrix <- function(x, chosen, argument) {
  values <- delivered(SummarizedExperiment::assay(x, chosen), argument)
  if (length(dim(values)) != 2L) {
    stop_rowsparse("type", "assay", "must name a matrix", describe(values))
  }
  if (is.data.frame(values) || inherits(values, "DataFrame")) {
    values <- data_frame_matrix(as.data.frame(values), argument)
  }
  plain_matrix(values, argument)
}

# any class of matrix as one of matrix, dgCMatrix and DelayedMatrix
plain_matrix <- function(values, argument) {
  if (inherits(values, "sparseMatrix")) {
    if (inherits(values, "dgCMatrix")) values else compress_columns(values, argument)
  } else if (is.matrix(values) || inherits(values, "DelayedMatrix")) {
    values
  } else {
    as.matrix(values)
  }
}

# a dgCMatrix with slots that go together, every entry stored once
sound_columns <- function(x, argument) {
  raw <- sparse_input(x, argument)
  if (inherits(x, "dgCMatrix") && identical(raw$x, x@x)) {
    return(x)
  }
  out <- sparse_samples(raw)
  rownames(out) <- rownames(x)
  out
}

sample_rows <- function(values, argument = "x", delayed = "none") {
  if (inherits(values, "DelayedMatrix")) {
    if (delayed == "none" || (delayed == "large" && is_small(values))) {
      values <- realised(values, argument)
    } else {
      return(DelayedArray::t(values))
    }
  }
  if (inherits(values, "sparseMatrix")) Matrix::t(values) else t(values)
}

# Matrices that are kept in files or are yet to be computed; sparse ones stay sparse
realised <- function(x, argument = "x") {
  if (!inherits(x, "DelayedMatrix")) {
    return(x)
  }
  check_delayed(argument)
  if (DelayedArray::is_sparse(x)) {
    return(delivered(methods::as(x, "dgCMatrix"), argument))
  }
  check_memory(8 * prod(dim(x)), argument, "pass it as row_blocks()")
  delivered(as.matrix(x), argument)
}

# the names of a DelayedMatrix may stand in a file
check_readable <- function(x, argument) {
  if (inherits(x, "DelayedMatrix")) delivered(dimnames(x), argument)
  invisible(x)
}

# what is asked of a file, or of whatever else a DelayedMatrix stands for
delivered <- function(value, argument) {
  tryCatch(value, error = function(e) {
    stop_rowsparse("read", argument, "must be readable",
      paste("the error:", shorten(sub("[.]?\\s*$", "", conditionMessage(e)), 200L)),
      "Is its file complete, and where it was?", parent = e
    )
  })
}

# bytes of a sparse one that are read at once: it is held several times while it is read, turned
# and normalised
sparse_at_once <- 1e9

# in memory at most a quarter of it? Of sparse ones what they store, and at most a gigabyte
is_small <- function(x) {
  check_delayed("x")
  numbers <- prod(dim(x))
  if (!DelayedArray::is_sparse(x)) {
    return(8 * numbers <= memory_bytes() / 4)
  }
  is_small_sparse(stored_share_of(x) * numbers)
}

is_small_sparse <- function(stored) 12 * stored <= min(memory_bytes() / 4, sparse_at_once)

# a dgCMatrix in memory that is better packed, logged and turned a piece at a time
are_large_counts <- function(x, said) {
  inherits(x, "dgCMatrix") && !is_small_sparse(length(x@x)) && look_of(x, said) == "counts"
}

# a DelayedMatrix with samples in rows: read, or in blocks where it is large
small_or_blocks <- function(x, argument) {
  check_delayed(argument)
  if (is_small(x)) {
    return(realised(x, argument))
  }
  say_in_blocks(dim(x), DelayedArray::is_sparse(x), argument)
  row_blocks(x)
}

# size: samples and features
say_in_blocks <- function(size, sparse, argument) {
  takes <- paste0(if (sparse) "a gigabyte, or ", "a quarter of the memory")
  say_rowsparse("blocks", sprintf(
    "`%s` (%.0f x %.0f) takes more than %s: read in blocks, see row_blocks().",
    argument, size[1], size[2], takes
  ))
}

# ---- names ---------------------------------------------------------------------

# gene symbols repeat
distinct_names <- function(names, argument) {
  if (anyNA(names) || !anyDuplicated(names)) {
    return(names)
  }
  made <- make.unique(names)
  first <- anyDuplicated(names)
  say_rowsparse("names", sprintf(
    "`%s` has %s: made distinct by make.unique(), as in %s, %s.", argument,
    count_of(sum(duplicated(names)), "repeated feature name"), quoted(names[first]),
    quoted(made[first])
  ))
  made
}

# What else is written about the features: the names that came in, where they were made
# distinct, and the columns of text in rowData. NULL where there is nothing.
experiment_identifiers <- function(x) {
  table <- SummarizedExperiment::rowData(x)
  columns <- lapply(as.list(table), function(column) {
    if (is.character(column) || is.factor(column)) as.character(column)
  })
  names <- rownames(x)
  if (!is.null(names) && anyDuplicated(names)) columns <- c(list(name = names), columns)
  columns <- Filter(function(column) length(column) == nrow(x), columns)
  if (length(columns) > 0) {
    data.frame(columns, check.names = FALSE, stringsAsFactors = FALSE)
  }
}

# where rowData usually has the symbols of genes whose identifiers are the names of the rows
symbol_columns <- c(
  "symbol", "gene_symbol", "gene_name", "genesymbol", "genename", "feature_name", "hgnc_symbol",
  "mgi_symbol", "external_gene_name"
)

# features named by their symbols, or by a pattern of these, as the names of their rows
names_of_symbols <- function(features, x, argument) {
  if (is.factor(features)) features <- as.character(features)
  own <- rownames(x)
  if (is.null(own) || !is.character(features) || anyNA(features)) {
    return(features)
  }
  if (anyDuplicated(own)) own <- make.unique(own)
  lost <- setdiff(features, own)
  pattern <- argument == "exclude" && length(features) == 1L && is_pattern(features)
  if (length(lost) == 0L || (pattern && length(columns_fitting(features, own)) > 0L)) {
    return(features)
  }
  table <- SummarizedExperiment::rowData(x)
  for (name in names(table)[tolower(names(table)) %in% symbol_columns]) {
    symbols <- as.character(table[[name]])
    rows <- if (pattern) columns_fitting(features, symbols) else which(symbols %in% lost)
    if (length(rows) > 0L) {
      say_once("symbols", sprintf("`%s`: %s found in rowData(x)$%s: %s.", argument,
        count_of(length(rows), "feature"), name,
        first_few(sprintf("%s (%s)", symbols[rows], own[rows]))
      ))
      return(c(setdiff(features, c(symbols[rows], if (pattern) features)), own[rows]))
    }
  }
  features
}

# none where it is no regular expression
columns_fitting <- function(pattern, names) {
  tryCatch(grep(pattern, names), error = function(e) integer(), warning = function(w) integer())
}

# the same of everything that names features among the arguments of a method
with_names_of_symbols <- function(given, x) {
  if (!is.null(given[["groups"]])) {
    return(given)
  }
  for (name in intersect(c("include", "exclude"), names(given))) {
    given[name] <- list(names_of_symbols(given[[name]], x, name))
  }
  if (inherits(given[["rules"]], "panel_rules")) {
    rules <- given[["rules"]]
    rules$sets <- lapply(rules$sets, names_of_symbols, x, "sets")
    rules["near"] <- list(names_of_symbols(rules$near, x, "near"))
    given[["rules"]] <- rules
  }
  given
}

# The names of new data by the same rule, told where it decides which rows are taken:
# copies are told apart by their order.
new_names <- function(names, wanted) {
  if (is.null(names) || anyNA(names) || !anyDuplicated(names)) {
    return(names)
  }
  made <- make.unique(names)
  repeated <- made[names %in% names[duplicated(names)]]
  met <- intersect(wanted, repeated)
  if (length(met) > 0) {
    say_rowsparse("names", sprintf(
      "`newdata` has repeated feature names: %s of those wanted (first: %s) matched by %s.",
      length(met), quoted(met[1]), "the order of the copies, as make.unique() names them"
    ))
  }
  made
}

# ---- the samples ---------------------------------------------------------------

# a column of the samples' table, where one string names it; else as given
sample_column <- function(x, value, argument) {
  if (argument == "block") {
    return(sample_block(x, value))
  }
  if (!is_experiment(x) || !is_text(value)) {
    return(value)
  }
  column_of_samples(x, value, argument)
}

# a block of one column or more, or of a formula of them
sample_block <- function(x, value) {
  if (is_experiment(x)) {
    if (is_text(value)) {
      return(column_of_samples(x, value, "block"))
    }
    check_experiment(x)
    return(block_variables(value, SummarizedExperiment::colData(x)))
  }
  block_variables(value)
}

column_of_samples <- function(x, value, argument) {
  check_experiment(x)
  table <- SummarizedExperiment::colData(x)
  if (!value %in% names(table)) {
    meant <- if (argument == "y") argument_meant(value)
    stop_rowsparse("choice", argument,
      sprintf("must name a column of colData(x) (%s) or have one entry per sample",
        if (ncol(table) > 0) shorten(toString(names(table)), 200L) else "it has none"
      ),
      quoted(value), if (!is.null(meant)) sprintf("Did you mean `%s = %s`?", meant, quoted(value))
    )
  }
  column <- table[[value]]
  if (inherits(column, "Rle")) column <- rep(column@values, column@lengths)
  if (argument == "block" && is.atomic(column)) attr(column, "column") <- value
  column
}

# The block of samples that are looked at beside a fit: the caller's, or what the fit was given:
# the column of this name in `colData(x)`. Where it is not known, that is said.
block_beside <- function(block, fit, x) {
  own <- if (inherits(fit, "rowsparse")) fit[["block"]]
  if (!is.null(block) || is.null(own) || inherits(x, "rowsparse_moments")) {
    return(sample_column(x, block, "block"))
  }
  if (is_experiment(x) && !is.null(own[["column"]])) {
    check_experiment(x)
    named <- if (is.character(own[["column"]])) own[["column"]] else all.vars(own[["column"]])
    if (all(named %in% names(SummarizedExperiment::colData(x)))) {
      return(sample_column(x, own[["column"]], "block"))
    }
  }
  say_rowsparse("block", paste(
    "The fit was given a `block`, and these samples come without: they are not centred within",
    "its levels here, as they were there."
  ))
  NULL
}

# The samples that `subset` keeps: TRUE and FALSE, numbers, names, or the name of a
# column of TRUE and FALSE
kept_samples <- function(x, subset) {
  n <- ncol(x)
  if (is_text(subset) && subset %in% names(SummarizedExperiment::colData(x))) {
    name <- subset
    subset <- sample_column(x, subset, "subset")
    if (!is.logical(subset)) {
      stop_rowsparse("type", "subset", "must name a column of TRUE and FALSE",
        paste(quoted(name), "with", describe(subset))
      )
    }
  }
  kept <- if (is.logical(subset)) {
    which(check_subset_flags(subset, n))
  } else if (is.character(subset)) {
    check_subset_names(match(subset, colnames(x)), subset)
  } else {
    check_subset_numbers(subset, n)
  }
  if (anyDuplicated(kept)) {
    stop_rowsparse("names", "subset", "must name every sample at most once",
      sprintf("sample %.0f twice", kept[anyDuplicated(kept)])
    )
  }
  if (length(kept) < 2L) {
    stop_rowsparse("size", "subset", "must keep at least 2 samples", length(kept))
  }
  kept
}

check_subset_flags <- function(subset, n) {
  if (length(subset) != n) {
    stop_rowsparse("length", "subset", sprintf("must have one entry per sample (%d)", n),
      length(subset)
    )
  }
  if (anyNA(subset)) stop_missing_labels(subset, "subset")
  subset
}

check_subset_names <- function(at, subset) {
  if (anyNA(at)) {
    stop_rowsparse("names", "subset",
      "must name samples, or one column of colData(x) with TRUE and FALSE",
      sprintf("%d unknown (first: %s)", sum(is.na(at)), quoted(subset[is.na(at)][1]))
    )
  }
  at
}

# negative numbers leave out
check_subset_numbers <- function(subset, n) {
  inside <- is_whole(subset) && all(abs(subset) >= 1 & abs(subset) <= n) &&
    (all(subset > 0) || all(subset < 0))
  if (!inside && length(subset) > 0) {
    stop_rowsparse("range", "subset",
      sprintf("must be samples: TRUE and FALSE, numbers from 1 to %d, or names", n),
      describe(subset)
    )
  }
  seq_len(n)[subset]
}

# ---- the front doors -----------------------------------------------------------

# An experiment as ordinary data, samples in rows, with its response and the arguments
# `given` to the method: the blocks of the samples resolved, the assay chosen
read_experiment <- function(x, y, given, subset = NULL) {
  if (!is_experiment(x)) {
    if (!is.null(subset)) {
      stop_rowsparse("type", "subset", "is for a SummarizedExperiment", describe(x),
        "Pass the samples themselves, x[subset, ]"
      )
    }
    given$weights <- sample_weights(x, given[["weights"]], y)
    return(list(x = x, y = y, given = given))
  }
  check_experiment(x)
  given <- with_names_of_symbols(given, x)
  y <- sample_column(x, y, "y")
  given$block <- sample_column(x, given[["block"]], "block")
  weights <- sample_weights(x, given[["weights"]], y)
  if (is.numeric(weights)) given$weights <- weights
  if (!is.null(subset)) {
    if (!is.null(y)) check_response_length(y, ncol(x))
    if (!is.null(given[["block"]])) check_response_length(given[["block"]], ncol(x), "block")
    kept <- kept_samples(x, subset)
    x <- x[, kept]
    y <- part_of(y, kept)
    column <- attr(given[["block"]], "column")
    given$block <- part_of(given[["block"]], kept)
    if (!is.null(column)) attr(given[["block"]], "column") <- column
    if (is.numeric(weights)) given$weights <- part_of(weights, kept)
  }
  assay <- given[["assay"]]
  given$assay <- NULL
  values <- experiment_matrix(x, assay, "x", delayed = "large")
  list(x = values, y = y, given = given, assay = assay, identifiers = experiment_identifiers(x))
}

# levels that are left without samples go
part_of <- function(value, rows) {
  if (is.null(value)) {
    return(NULL)
  }
  value <- rows_of(value, rows)
  if (is.factor(value)) droplevels(value) else value
}

check_return <- function(return, x) {
  return <- check_choice(return, "return", c("fit", "object"))
  if (return == "object" && !is_experiment(x)) {
    stop_rowsparse("type", "return", "= \"object\" needs a SummarizedExperiment", describe(x))
  }
  return
}

# the experiment with the scores, ranks and choice of its features, and the fit
marked_experiment <- function(x, fit) {
  with_row_data(x, list(
    rowsparse_score = unname(fit$scores), rowsparse_rank = order(fit$ranking),
    rowsparse_selected = seq_len(fit$d) %in% fit$selected
  ), "rowsparse", fit)
}

# the same with the roles and prices of its features, and the result of alternatives()
experiment_with_roles <- function(x, found) {
  table <- found$features[order(found$features$index), ]
  with_row_data(x, list(
    rowsparse_role = table$role, rowsparse_price_least = table$price_least,
    rowsparse_price_most = table$price_most
  ), "rowsparse_alternatives", found)
}

# columns of rowData(x), and the result as metadata(x)[[name]]
with_row_data <- function(x, columns, name, result) {
  table <- SummarizedExperiment::rowData(x)
  there <- c(
    if (any(names(columns) %in% names(table))) "the columns rowsparse_* of rowData(x)",
    if (!is.null(x@metadata[[name]])) paste0("metadata(x)$", name)
  )
  if (length(there) > 0) {
    say_rowsparse("replaced", sprintf(
      "The new result replaces %s; to keep both, rename the earlier one first.",
      paste(there, collapse = " and ")
    ))
  }
  table[names(columns)] <- columns
  SummarizedExperiment::rowData(x) <- table
  x@metadata[[name]] <- result
  x
}

# ---- counts --------------------------------------------------------------------

#' Log-normalised counts
#'
#' Divides the counts of every sample by its size factor and takes logarithms,
#' \deqn{\log_2(x_{ij} / s_i + 1),}{log2(x_ij / s_i + 1),}
#' the usual step before genes of single cells or libraries are compared. By default the size
#' factors are the library sizes, the sums of the counts of each sample. Size factors are divided
#' by their mean, so that the values keep the scale of the counts.
#'
#' Zeros stay zeros, so that sparse data stay sparse. [rowsparse()] and the methods do the same,
#' with a message, for a `SummarizedExperiment` that has only raw counts; see [experiments]. A
#' plain matrix of whole numbers may hold anything, for instance grey values, and is never changed
#' unasked.
#'
#' @param x Counts: a numeric matrix, data frame, sparse matrix, `DelayedMatrix` or
#'   [row_blocks()] with samples in rows, or a `SummarizedExperiment` (samples in columns).
#' @param size_factors One positive number per sample. `NULL`: for an experiment the column
#'   `sizeFactor` of `colData(x)`, where `sizeFactors(x)` keeps them, if it exists; else the
#'   library sizes.
#' @param assay For a `SummarizedExperiment`: name or number of the assay with the counts;
#'   `NULL` takes `"counts"` where it exists, else the first.
#' @return The same kind of data: for an experiment, x with a further assay `"logcounts"`;
#'   a data frame becomes a matrix. Row blocks are read once, for the library sizes, and
#'   log-transformed at every later reading, sparse counts from memory; see [row_blocks()].
#' @section Warning:
#' Data that look log-transformed already are returned unchanged, with a warning of class
#' `rowsparse_warning_counts`: an experiment that has an assay `"logcounts"`, unless `assay` is
#' given, and values that are negative, or with fractions and none above 100, or whole and none
#' above 1. Estimated counts, which have fractions, are accepted.
#' @section Errors:
#' Of class `rowsparse_error`: x of another kind or with missing or infinite values; samples
#' without any count (the error gives their number and the first); size factors that are not
#' positive or not one per sample; an assay that does not exist.
#' @seealso [experiments]
#' @examples
#' set.seed(1)
#' counts <- matrix(rpois(60, 20), 6)
#' log_counts(counts)[1:2, 1:4]
#' log_counts(counts, size_factors = rep(1, 6))[1:2, 1:4]
#' @export
log_counts <- function(x, size_factors = NULL, assay = NULL) {
  if (is_experiment(x)) {
    return(log_experiment(x, size_factors, assay))
  }
  if (inherits(x, "rowsparse_blocks")) {
    return(log_blocks(x, size_factors))
  }
  if (is.data.frame(x)) x <- data_frame_matrix(x, "x")
  counts <- check_count_matrix(x)
  if (look_of(counts, said = TRUE) != "counts") {
    warn_logged("`x`")
    return(x)
  }
  log_by_sample(counts, resolve_size_factors(size_factors, counts, 1L, "x"), 1L)
}

# one pass tells whether blocks are counts, and the library sizes
log_blocks <- function(x, size_factors) {
  seen <- look_at_counts(x, said = TRUE, "x")
  if (seen$look != "counts") {
    warn_logged("`x`")
    return(x)
  }
  factors <- resolve_size_factors(size_factors, x, 1L, "x", seen$sizes)
  log_by_sample(x, factors, 1L, seen$packed)
}

# What row blocks look like, as look_of() tells, and the library sizes; where all of them were
# read, `packed` has the counts. What the first block tells is not read again, nor are the others
# where a part will do.
look_at_counts <- function(x, said, argument, in_part = FALSE) {
  raw <- blocks_input(x, argument)
  on.exit(close_source(raw$reads))
  seen <- packed <- list()
  for (number in seq_along(x$rows)) {
    rows <- raw[["read"]](number)
    packed <- keep_packed(packed, rows)
    seen[[number]] <- list(
      range = value_range(rows), whole = are_whole(rows), sizes = library_sizes(rows, 1L)
    )
    if (in_part || isTRUE(seen[[1]]$range[1] < 0) || !(said || seen[[1]]$whole)) break
  }
  range <- range(unlist(lapply(seen, `[[`, "range")))
  whole <- all(vapply(seen, `[[`, NA, "whole"))
  list(
    look = look_of_range(range, whole, said), sizes = unlist(lapply(seen, `[[`, "sizes")),
    packed = if (length(packed) == length(x$rows)) packed
  )
}

log_experiment <- function(x, size_factors, assay) {
  check_experiment(x)
  if (is.null(assay) && "logcounts" %in% SummarizedExperiment::assayNames(x)) {
    warn_logged("assay \"logcounts\" of `x`")
    return(x)
  }
  check_names_given(rownames(x), "x")
  chosen <- choose_assay(x, assay, "x", usual = "counts")
  counts <- check_count_matrix(assay_matrix(x, chosen, "x"))
  if (look_of(counts, said = TRUE) != "counts") {
    warn_logged(paste(assay_words(x, chosen), "of `x`"))
    return(x)
  }
  if (is.null(size_factors)) size_factors <- stored_size_factors(x)
  factors <- resolve_size_factors(size_factors, counts, 2L, "x")
  SummarizedExperiment::assay(x, "logcounts") <- log_by_sample(counts, factors, 2L)
  x
}

warn_logged <- function(what) {
  warn_rowsparse("counts", paste(what, "does not look like raw counts: left as it is."))
}

check_count_matrix <- function(x) {
  check_readable(x, "x")
  if (inherits(x, "sparseMatrix")) {
    x <- sound_columns(x, "x")
  } else if (length(dim(x)) == 2L) {
    x <- plain_matrix(x, "x")
  }
  numbers <- if (inherits(x, "DelayedMatrix")) {
    DelayedArray::type(x) %in% c("integer", "double")
  } else {
    inherits(x, "sparseMatrix") || (is.matrix(x) && is_plain_numeric(x))
  }
  if (!numbers) {
    stop_rowsparse("type", "x",
      "must be counts: a numeric or sparse matrix, or a SummarizedExperiment", describe(x)
    )
  }
  if (!all(is.finite(value_range(x)))) {
    stop_rowsparse("nonfinite", "x", "must not hold NA, NaN or infinite values")
  }
  x
}

# smallest and largest value, zeros for those that are not stored
value_range <- function(values) {
  if (inherits(values, "sparseMatrix")) {
    range(0, if (length(values@x) > 0) range(values@x))
  } else if (any(dim(values) == 0L)) {
    c(0, 0)
  } else if (inherits(values, "DelayedMatrix")) {
    delivered(range(values), "x")
  } else {
    range(values)
  }
}

# What values look like, one rule for all who ask: "counts", none negative and some above 1,
# if whole, or, where they are `said` to be counts, larger than logarithms of counts can be;
# fractions else are "large", or "small" where said to be counts; "other": what nobody counts
look_of <- function(values, said) {
  if (is.matrix(values) && !is_plain_numeric(values)) {
    return("other")
  }
  if (inherits(values, "DelayedMatrix")) {
    # what a corner tells is not read again
    corner <- first_values(values)
    range <- value_range(corner)
    if (isTRUE(range[1] < 0) || !(said || are_whole(corner))) {
      return(look_of_range(range, FALSE, said))
    }
  }
  look_of_range(value_range(values), are_whole(values), said)
}

# a million values of those that are not in memory, of few chunks
first_values <- function(values) {
  chunk <- or_default(DelayedArray::chunkdim(values), c(1, 1))
  rows <- min(nrow(values), max(chunk[1], 1000))
  columns <- min(ncol(values), max(1, floor(1e6 / max(1, rows))))
  realised(values[seq_len(rows), seq_len(columns), drop = FALSE])
}

look_of_range <- function(range, whole, said) {
  if (!all(is.finite(range)) || range[1] < 0 || range[2] <= 1) {
    "other"
  } else if (range[2] > 100) {
    if (said || whole) "counts" else "large"
  } else if (whole) {
    "counts"
  } else {
    if (said) "small" else "other"
  }
}

are_whole <- function(values) {
  if (inherits(values, "DelayedMatrix")) values <- first_values(values)
  if (inherits(values, "sparseMatrix")) values <- values@x
  if (is.integer(values)) {
    return(TRUE)
  }
  # a piece after the other: most data tell at once, and no copy of all is made
  piece <- 1e6
  for (number in seq_len(ceiling(length(values) / piece))) {
    part <- values[seq.int((number - 1) * piece + 1, min(length(values), number * piece))]
    if (any(part != round(part), na.rm = TRUE)) {
      return(FALSE)
    }
  }
  TRUE
}

stored_size_factors <- function(x) {
  SummarizedExperiment::colData(x)[["sizeFactor"]]
}

# Size factors with mean 1. `along`: 1 where the samples are rows, 2 for columns; `sizes`: the
# library sizes, where they are known
resolve_size_factors <- function(factors, counts, along, argument, sizes = NULL) {
  n <- dim(counts)[along]
  if (is.null(factors)) {
    factors <- if (is.null(sizes)) library_sizes(counts, along) else sizes
    check_libraries(factors, names(factors), argument)
  }
  if (!is_plain_numeric(factors) || length(factors) != n) {
    stop_rowsparse("length", "size_factors", sprintf("must hold one number per sample (%d)", n),
      describe(factors)
    )
  }
  wrong <- which(!is.finite(factors) | factors <= 0)
  if (length(wrong) > 0) {
    stop_rowsparse("range", "size_factors", "must be positive numbers",
      sprintf("%d that are not, the first, %s, for %s", length(wrong), format(factors[wrong[1]]),
        column_label(dimnames(counts)[[along]], wrong[1], "sample")
      )
    )
  }
  factors <- as.double(factors)
  factors / mean(factors)
}

library_sizes <- function(counts, along) {
  if (inherits(counts, "sparseMatrix")) {
    if (along == 1L) Matrix::rowSums(counts) else Matrix::colSums(counts)
  } else if (inherits(counts, "DelayedMatrix")) {
    ones <- matrix(1, dim(counts)[3L - along], 1)
    delivered(drop(as.matrix(if (along == 1L) counts %*% ones else t(counts) %*% ones)), "x")
  } else {
    if (along == 1L) rowSums(counts) else colSums(counts)
  }
}

check_libraries <- function(sizes, names, argument) {
  empty <- which(sizes == 0)
  if (length(empty) > 0) {
    stop_rowsparse("zero", argument, "must have counts in every sample to be normalised",
      sprintf("%s without any, the first %s", count_of(length(empty), "sample"),
        column_label(names, empty[1], "sample")
      ),
      "Leave them out, or name the assay to take the counts as they are"
    )
  }
}

# `packed`: the counts of row blocks, where they are kept
log_by_sample <- function(counts, factors, along, packed = NULL) {
  if (inherits(counts, "sparseMatrix")) {
    sample <- if (along == 1L) counts@i + 1L else rep.int(seq_along(factors), diff(counts@p))
    counts@x <- log2(counts@x / factors[sample] + 1)
    counts
  } else if (inherits(counts, "DelayedMatrix")) {
    # log1p() keeps a sparse one sparse
    if (along == 1L) log1p(counts / factors) / log(2) else t(log1p(t(counts) / factors) / log(2))
  } else if (inherits(counts, "rowsparse_blocks")) {
    logged_blocks(counts, factors, packed)
  } else {
    log2(counts / (if (along == 1L) factors else rep(factors, each = nrow(counts))) + 1)
  }
}

# alone with what it needs, as it may travel
logged_reader <- function(read, factors) {
  force(read)
  force(factors)
  function(number) log_by_sample(block_matrix(read(number), "x"), factors[[number]], 1L)
}

# The same blocks, logged whenever they are read. With `packed` counts, `from_source` reads them
# as before, for processes to which these would have to travel
logged_blocks <- function(x, factors, packed = NULL) {
  of_block <- unname(split(factors, rep(seq_along(x$rows), x$rows)))
  logged <- logged_reader(x$read, of_block)
  if (is.null(packed)) {
    x$read <- logged
  } else {
    x$read <- function(number) logged_packed(packed[[number]], of_block[[number]])
    x$from_source <- logged
  }
  x$known <- known_columns(x$known)
  x
}
