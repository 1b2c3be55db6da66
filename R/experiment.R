#' SummarizedExperiment, SingleCellExperiment and Seurat objects
#'
#' Every function of the package that takes data also takes a `SummarizedExperiment` or a class
#' derived from it, such as a `SingleCellExperiment`: features are its rows and samples its
#' columns. [rowsparse()] can return it with the result inside.
#'
#' @section What is read:
#' The assay named by `assay`; else `"logcounts"` where it exists, else the first: a matrix, a
#' sparse matrix, which is never made dense, or a `DelayedMatrix`, for instance in a file. What
#' takes more than a quarter of the memory, or more than a gigabyte if it is sparse, is read by
#' [row_blocks()], with a message of class `rowsparse_message_blocks`. Alternative experiments
#' (`altExps`) and reduced dimensions are not read.
#'
#' @section Counts:
#' If there is no assay `"logcounts"`, `assay` names none, and the name of the first ends in
#' `count` or `counts`, it is normalised as [row_blocks()] do with `counts = TRUE`, and a message of
#' class `rowsparse_message_counts` says so. The size factors are those of `colData(x)$sizeFactor`,
#' where `sizeFactors(x)` keeps them, or else the library sizes. They have mean 1 among the samples
#' that are read, separately in a fit and in new data: where the two differ in depth, normalise them
#' together first, for example by `scuttle::logNormCounts()`. With `assay = "counts"` counts are
#' used as they are, with a message.
#'
#' @section Names of genes:
#' Repeated row names are made distinct by [make.unique()], with a message of class
#' `rowsparse_message_names`. Where the rows are named by identifiers, `include`, `exclude`,
#' [panel_rules()] and panels of [compare_panels()] may hold symbols: a string that is no row name
#' is looked up in the column of `rowData(x)` named `symbol`, `gene_symbol`, `gene_name`,
#' `feature_name` or similar, and stands for all rows with this symbol, with a message of class
#' `rowsparse_message_symbols`.
#'
#' @section Tables of the samples:
#' `y`, and `types` of [panel_rules()], may be one string, the name of a column of `colData(x)`, and
#' `block` one name, several names or a formula of columns (see "Batches" in [rowsparse_data]).
#' `subset` in [rowsparse()] chooses samples.
#'
#' @section Results:
#' With `return = "object"` [rowsparse()] returns x with the columns `rowsparse_score`,
#' `rowsparse_rank` (1 is best) and `rowsparse_selected` in `rowData(x)`, and the fit in
#' `metadata(x)$rowsparse`. A second result replaces the first, with a message of class
#' `rowsparse_message_replaced`. `predict(fit, newx)` restricts another experiment to the selected
#' features, or projects it; features are matched by name, in any order, and the assay is that of
#' the fit.
#'
#' @section Seurat objects, several experiments:
#' Objects of Biobase, limma, edgeR and MultiAssayExperiment, and `DataFrame`s, are refused with the
#' line that converts them. Seurat objects also have cells in columns. Take the matrix out:
#' ```
#' x <- Matrix::t(SeuratObject::LayerData(object, "data"))   # after NormalizeData(), JoinLayers()
#' fit <- rowsparse(x, k = 500, block = object$batch)
#' SeuratObject::VariableFeatures(object) <- selected(fit)
#' ```
#' Several experiments are joined on the genes that all have, with their origin as a block:
#' ```
#' genes <- intersect(rownames(a), rownames(b))
#' both <- cbind(a[genes, ], b[genes, ])
#' fit <- rowsparse(both, block = rep(c("a", "b"), c(ncol(a), ncol(b))))
#' ```
#'
#' @name experiments
#' @seealso [rowsparse()], [row_blocks()], [predict.rowsparse()]
#' @examples
#' if (interactive() && requireNamespace("SummarizedExperiment", quietly = TRUE)) {
#'   counts <- matrix(rpois(200 * 60, 1:200), 200, dimnames = list(paste0("gene", 1:200), NULL))
#'   x <- SummarizedExperiment::SummarizedExperiment(
#'     list(counts = counts), colData = data.frame(type = gl(3, 20))
#'   )
#'   # counts only: normalised, and said so; with classes, from some cells; the object comes back
#'   x <- rowsparse(x, y = "type", k = 6, subset = seq(1, 60, 2), return = "object")
#'   head(SummarizedExperiment::rowData(x))
#' }
NULL

is_experiment <- function(x) is_of(x, "SummarizedExperiment")

# ---- the assay -----------------------------------------------------------------

# the way out of gaps in an assay
samples_of_experiment <- function(chosen, argument = "x") {
  sprintf(paste(
    "`keep <- is.finite(colSums(as.matrix(SummarizedExperiment::assay(%1$s, %2$d))))`, then",
    "`%1$s[, keep]` for %1$s, and `y[keep]` for y unless it is a name"
  ), argument, chosen)
}

# Samples in rows. Counts are normalised unless the caller named their assay, or if `counts` asks
# for it. `blocks` makes row blocks of large assays, or of `all` that are outside of memory.
# `features`: only these rows, under their own names; names are made distinct where all are taken.
experiment_matrix <- function(x, assay, argument, blocks = NULL, all = FALSE, counts = FALSE,
                              features = NULL) {
  check_installed("SummarizedExperiment", "to read an experiment")
  check_names_given(rownames(x), argument)
  chosen <- choose_assay(x, assay, argument)
  counts <- counts || told_counts(x, chosen, assay, argument)
  if (!is.null(features) && !counts) {
    x <- x[features, ]
    blocks <- NULL
  }
  values <- assay_matrix(x, chosen, argument)
  names <- if (is.null(features)) distinct_names(rownames(x), argument)
  if (!is.null(names)) rownames(values) <- names
  # large counts that are sparse would take much more memory once they are logarithms
  apart <- is_of(values, "DelayedMatrix") || (counts && is_sparse_block(values) && !all)
  if (!is.null(blocks) && apart && (all || !is_small(values))) {
    turned <- DelayedArray::t(DelayedArray::DelayedArray(values))
    values <- if (all) blocks(turned) else large_blocks(turned, argument, blocks)
  } else {
    values <- Matrix::t(realised(values, argument))
  }
  if (counts) values <- normalised_counts(values, x, argument)
  if (is.null(features) || !counts) values else take_features(values, features)
}

# Is the chosen assay one of counts that are to be normalised? Either way it is told. Counts are
# called "counts", "raw_counts" or "decontXcounts", but not "logcounts" or "normcounts".
told_counts <- function(x, chosen, assay, argument) {
  name <- SummarizedExperiment::assayNames(x)[chosen]
  called <- is_text(name) && grepl("counts?$", name, ignore.case = TRUE, useBytes = TRUE) &&
    !grepl("log|norm|scale", name, ignore.case = TRUE, useBytes = TRUE)
  if (called) {
    by <- if (is.null(stored_size_factors(x))) "library sizes" else "the size factors in colData"
    done <- sprintf("log-normalised by %s; `assay` takes them as they are", by)
    if (!is.null(assay)) done <- "taken as they are, as `assay` names it"
    say_rowsparse("counts",
      sprintf("assay %s of `%s` holds counts: %s.", quoted(name), argument, done)
    )
  }
  called && is.null(assay)
}

# number of the assay: the one asked for, or "logcounts", or the first
choose_assay <- function(x, assay, argument) {
  known <- SummarizedExperiment::assayNames(x)
  count <- length(SummarizedExperiment::assays(x, withDimnames = FALSE))
  refuse_if(count == 0L, "size", argument, "must have an assay", "none")
  if (is.null(assay)) {
    return(match("logcounts", known, nomatch = 1L))
  }
  at <- NA
  if (is_text(assay)) at <- match(assay, known)
  if (is_number(assay)) at <- match(assay, seq_len(count))
  if (is.na(at)) {
    names <- if (length(known) > 0) paste0("\"", known, "\"", collapse = ", ") else "no names here"
    stop_rowsparse("choice", "assay",
      sprintf("must be one of the assays (%s) or a number from 1 to %d", names, count),
      describe(assay), did_you_mean(assay, known)
    )
  }
  at
}

# features in rows: a matrix, a dgCMatrix or a DelayedMatrix
assay_matrix <- function(x, chosen, argument) {
  values <- delivered(SummarizedExperiment::assay(x, chosen), argument)
  refuse_if(length(dim(values)) != 2L, "type", "assay", "must name a matrix", describe(values))
  if (inherits(values, "DataFrame")) values <- as.data.frame(values)
  if (is_of(values, "DelayedMatrix")) values else block_matrix(values, argument)
}

# Matrices that are kept in files or are yet to be computed; sparse ones stay sparse
realised <- function(x, argument = "x") {
  if (!is_of(x, "DelayedMatrix")) {
    return(x)
  }
  sparse <- DelayedArray::is_sparse(x)
  if (!sparse) check_memory(8 * prod(dim(x)), argument, "pass it as row_blocks()")
  delivered(if (sparse) methods::as(x, "dgCMatrix") else as.matrix(x), argument)
}

# before dimensions and names are asked for, which may stand in a file, or in broken slots
check_readable <- function(x, argument) {
  if (is_of(x, "DelayedMatrix")) delivered(dimnames(x), argument)
  if (is_of(x, "sparseMatrix")) check_valid(x, argument)
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

# Is x held at once? A gigabyte if it is sparse: it is held several times while it is normalised.
is_small <- function(x) {
  is.matrix(x) || bytes_of(x) <= min(passes_memory(), if (is_stored_sparse(x)) 1e9)
}

large_blocks <- function(x, argument, blocks = row_blocks) {
  say_rowsparse("blocks", sprintf(
    "`%s` (%.0f x %.0f) takes over %sa quarter of the memory: read in blocks, see ?row_blocks.",
    argument, nrow(x), ncol(x), if (is_stored_sparse(x)) "a gigabyte, or " else ""
  ))
  blocks(x)
}

# ---- names ---------------------------------------------------------------------

# Repeated gene symbols are told apart by their order, which is said if that concerns those `wanted`
distinct_names <- function(names, argument, wanted = NULL) {
  if (is.null(names) || anyNA(names) || !anyDuplicated(names)) {
    return(names)
  }
  made <- make.unique(names)
  if (is.null(wanted) || any(wanted %in% made[names %in% names[duplicated(names)]])) {
    first <- anyDuplicated(names)
    say_rowsparse("names", sprintf(
      "`%s` has %s: made distinct by make.unique(), in their order, as in %s, %s.", argument,
      count_of(sum(duplicated(names)), "repeated feature name"), quoted(names[first]),
      quoted(made[first])
    ))
  }
  made
}

# What else is written about the features: the names that came in, where they were made
# distinct, and the columns of text in rowData. NULL where there is nothing.
experiment_identifiers <- function(x) {
  columns <- Filter(function(column) {
    (is.character(column) || is.factor(column)) && length(column) == nrow(x)
  }, as.list(SummarizedExperiment::rowData(x)))
  columns <- lapply(columns, as.character)
  if (anyDuplicated(rownames(x))) columns <- c(list(name = rownames(x)), columns)
  if (length(columns) > 0) data.frame(columns, check.names = FALSE)
}

# Columns of rowData that usually hold the symbols of genes, if row names are identifiers
symbol_columns <- c(
  "symbol", "gene_symbol", "gene_name", "genesymbol", "genename", "feature_name", "hgnc_symbol",
  "mgi_symbol", "external_gene_name"
)

# Features of an experiment that are named by their symbols, or by a pattern of these, as the names
# of their rows, themselves named by what was given where symbols were found
names_of_symbols <- function(features, x, argument) {
  if (is.factor(features)) features <- as.character(features)
  if (!is.character(features) || anyNA(features) || !is_experiment(x) || is.null(rownames(x))) {
    return(features)
  }
  own <- make.unique(rownames(x))
  lost <- setdiff(features, own)
  pattern <- argument == "exclude" && length(features) == 1L && is_pattern(features)
  if (length(lost) == 0L || (pattern && length(columns_fitting(features, own)) > 0L)) {
    return(features)
  }
  table <- SummarizedExperiment::rowData(x, use.names = FALSE)
  for (name in names(table)[tolower(names(table)) %in% symbol_columns]) {
    symbols <- as.character(table[[name]])
    rows <- if (pattern) columns_fitting(features, symbols) else which(symbols %in% lost)
    if (length(rows) > 0L) {
      say_once("symbols", sprintf("`%s`: %s found in rowData(x)$%s: %s.", argument,
        count_of(length(rows), "feature"), name,
        first_few(sprintf("%s (%s)", symbols[rows], own[rows]))
      ))
      kept <- setdiff(features, c(symbols[rows], if (pattern) features))
      found <- stats::setNames(c(kept, own[rows]), c(kept, symbols[rows]))
      return(found[!duplicated(found)])
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
  if (!is_experiment(x) || !is.null(given[["groups"]])) {
    return(given)
  }
  locks <- intersect(c("include", "exclude"), names(given))
  given[locks] <- Map(names_of_symbols, given[locks], list(x), locks)
  if (inherits(given[["rules"]], "panel_rules")) {
    rules <- given[["rules"]]
    rules$sets <- lapply(rules$sets, names_of_symbols, x, "sets")
    own <- c("near", "candidates")
    rules[own] <- Map(names_of_symbols, rules[own], list(x), own)
    priced <- names_of_symbols(names(rules$cost), x, "cost")
    if (!is.null(names(priced))) rules$cost <- stats::setNames(rules$cost[names(priced)], priced)
    given[["rules"]] <- rules
  }
  given
}

# ---- the samples ---------------------------------------------------------------

# A column of the samples' table, if one string names it; `block` may also be several names or a
# formula. Other values as they are.
sample_column <- function(x, value, argument) {
  if (is_experiment(x) && is_text(value)) {
    column_of_samples(x, value, argument)
  } else if (argument == "block") {
    block_variables(value, if (is_experiment(x)) SummarizedExperiment::colData(x))
  } else {
    value
  }
}

# a response, as x$type, that an experiment does not have
tell_no_column <- function(asked, x, y) {
  if (is.null(y) && is_experiment(x) && is.call(asked) && deparse1(asked[[1]]) %in% c("$", "[[")) {
    known <- names(SummarizedExperiment::colData(x))
    told <- sprintf("`y` = %s is NULL: fitted without a response. colData(x) has %s.",
      shorten(deparse1(asked)), few_quoted(known, 20L))
    say_rowsparse("response", c(told, did_you_mean(as.character(asked[[3]]), known)))
  }
}

column_of_samples <- function(x, value, argument) {
  table <- SummarizedExperiment::colData(x)
  meant <- if (argument == "y") argument_meant(value)
  refuse_if(!value %in% names(table), "choice", argument,
    sprintf("must name a column of colData(x) (%s) or have one entry per sample",
      shorten(toString(names(table)), 200L)
    ),
    quoted(value), or_default(
      if (!is.null(meant)) sprintf("Did you mean `%s = %s`?", meant, quoted(value)),
      did_you_mean(value, names(table))
    )
  )
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
  column <- own[["column"]]
  named <- if (is.character(column)) column else all.vars(column)
  if (is_experiment(x) && length(named) > 0L &&
    all(named %in% names(SummarizedExperiment::colData(x)))) {
    block <- sample_column(x, column, "block")
    return(if (!is.atomic(block) || length(unique(block)) > 1L) block) # one level has the same mean
  }
  say_rowsparse("block", paste(
    "The fit was given a `block`, and these samples come without: they are not centred within",
    "its levels here, as they were there."
  ))
  NULL
}

# The samples that `subset` keeps: TRUE and FALSE, or a column of these by name, numbers, or names
kept_samples <- function(x, subset) {
  n <- ncol(x)
  value <- subset
  if (is_text(value) && value %in% names(SummarizedExperiment::colData(x))) {
    value <- sample_column(x, value, "subset")
  }
  kept <- if (is.character(value)) match(value, colnames(x)) else NA
  if (is_whole(value) || (is.logical(value) && length(value) == n)) {
    kept <- tryCatch(seq_len(n)[value], error = function(e) NA)
  }
  refuse_if(anyNA(kept) || anyDuplicated(kept) || length(kept) < 2L, "range", "subset",
    sprintf(paste(
      "must keep at least 2 samples, each once: TRUE or FALSE for all %d, numbers from 1 to %d,",
      "names, or a column of TRUE and FALSE in colData(x)"
    ), n, n), describe(subset)
  )
  kept
}

# ---- the front doors -----------------------------------------------------------

# An experiment as ordinary data, samples in rows, with its response and the arguments
# `given` to the method: the blocks of the samples resolved, the assay chosen
read_experiment <- function(x, y, given, subset = NULL) {
  refuse_if(!is.null(subset) && !is_experiment(x), "type", "subset",
    "is for a SummarizedExperiment", describe(x), "Pass the samples themselves, x[subset, ]")
  given[["weights"]] <- sample_weights(x, given[["weights"]], y)
  if (!is_experiment(x)) {
    return(list(x = x, y = y, given = given))
  }
  check_installed("SummarizedExperiment", "to read an experiment")
  given <- with_names_of_symbols(given, x)
  name <- if (is_text(y)) y
  y <- sample_column(x, y, "y")
  given$block <- sample_column(x, given[["block"]], "block")
  given[["offset"]] <- sample_column(x, given[["offset"]], "offset")
  if (!is.null(subset)) {
    if (!is.null(y)) check_response_length(y, ncol(x))
    if (!is.null(given[["block"]])) check_response_length(given[["block"]], ncol(x), "block")
    kept <- kept_samples(x, subset)
    given[["rules"]] <- rules_of_samples(given[["rules"]], x, kept, ncol(x))
    x <- x[, kept]
    y <- part_of(y, kept)
    given$block <- part_of(given[["block"]], kept)
    for (by_sample in c("weights", "offset")) {
      if (is.numeric(given[[by_sample]])) given[[by_sample]] <- part_of(given[[by_sample]], kept)
    }
  }
  refuse_if(!is.null(name) && anyNA(y), "nonfinite", "y", "must not hold NA",
    sprintf("%d of them in column %s of colData(x)", sum(is.na(y)), quoted(name)),
    sprintf("`x[, !is.na(x[[%s]])]` leaves these samples out", quoted(name))
  )
  assay <- given[["assay"]]
  given$assay <- NULL
  values <- experiment_matrix(x, assay, "x", row_blocks)
  list(x = values, y = y, given = given, assay = assay, identifiers = experiment_identifiers(x))
}

# levels that are left without samples go
part_of <- function(value, rows) {
  column <- attr(value, "column")
  value <- rows_of(value, rows)
  if (is.factor(value)) value <- droplevels(value)
  if (!is.null(column)) attr(value, "column") <- column
  value
}

# The experiment with the scores, ranks and choice of its features, and the fit in its metadata
marked_experiment <- function(x, fit) {
  table <- SummarizedExperiment::rowData(x)
  columns <- list(
    rowsparse_score = unname(fit$scores), rowsparse_rank = order(fit$ranking),
    rowsparse_selected = seq_len(fit$d) %in% fit$selected
  )
  if (!is.null(x@metadata$rowsparse) || any(names(columns) %in% names(table))) {
    say_rowsparse("replaced", paste(
      "The new result replaces the columns rowsparse_* of rowData(x) and metadata(x)$rowsparse; to",
      "keep both, rename the earlier one first."
    ))
  }
  table[names(columns)] <- columns
  SummarizedExperiment::rowData(x) <- table
  x@metadata$rowsparse <- fit
  x
}

# ---- counts --------------------------------------------------------------------

# log2(counts / size factor + 1), samples in rows; values that are no finite numbers are left as
# they are, and told where all are checked
normalised_counts <- function(values, x, argument) {
  factors <- stored_size_factors(x)
  if (inherits(values, "rowsparse_blocks")) {
    return(normalised_blocks(values, argument, factors, colnames(x)))
  }
  sizes <- unname(Matrix::rowSums(values))
  if (any(dim(values) == 0L) || !all(is.finite(sizes))) {
    return(values)
  }
  check_not_negative(values, argument)
  log_by_sample(values, size_factors(factors, sizes, rownames(values), argument))
}

# Row blocks, logged whenever they are read. One pass finds the library sizes, and keeps sparse
# counts, from which blocks are read then; `from_source` reads them anew, for other processes.
normalised_blocks <- function(x, argument, factors = NULL, labels = NULL) {
  raw <- blocks_input(x, argument)
  packed <- sizes <- list()
  for (number in seq_along(x$rows)) {
    rows <- raw[["read"]](number)
    check_not_negative(rows, argument)
    sizes[[number]] <- unname(Matrix::rowSums(rows))
    packed <- keep_packed(packed, rows)
  }
  factors <- size_factors(factors, unlist(sizes), labels, argument)
  of_block <- unname(split(factors, rep(seq_along(x$rows), x$rows)))
  logged <- logged_reader(x$read, of_block)
  if (length(packed) < length(x$rows)) {
    return(with_reader(x, logged))
  }
  x$from_source <- logged
  with_reader(x, function(number) logged_packed(packed[[number]], of_block[[number]]))
}

# alone with what it needs, as it may travel
logged_reader <- function(read, factors) {
  force(list(read, factors))
  function(number) log_by_sample(block_matrix(read(number)), factors[[number]])
}

stored_size_factors <- function(x) SummarizedExperiment::colData(x)[["sizeFactor"]]

check_not_negative <- function(counts, argument) {
  values <- if (is_of(counts, "sparseMatrix")) counts@x else counts
  refuse_if(length(values) > 0L && min(values) < 0,
    "range", argument, "must hold counts, none of them negative",
    sprintf("%d below zero, the least %s", sum(values < 0), format(min(values))),
    "For an experiment `assay` names values that are taken as they are"
  )
}

# The size factors that are stored, or else the library sizes, with mean 1
size_factors <- function(stored, sizes, labels, argument) {
  empty <- which(sizes == 0)
  label <- function(at) column_label(labels, at[1], "sample")
  refuse_if(is.null(stored) && length(empty) > 0,
    "zero", argument, "must have counts in every sample to be normalised",
    sprintf("%s without any, the first %s", count_of(length(empty), "sample"), label(empty)),
    "Leave them out, or name the assay to take the counts as they are"
  )
  factors <- or_default(stored, sizes)
  wrong <- if (is_plain_numeric(factors)) which(!is.finite(factors) | factors <= 0) else 1L
  refuse_if(length(wrong) > 0, "range", "colData(x)$sizeFactor", "must hold positive numbers",
    sprintf("%d that are not, the first, %s, for %s", length(wrong), format(factors[wrong[1]]),
      label(wrong)
    )
  )
  as.double(factors) / mean(factors)
}

log_by_sample <- function(counts, factors) {
  if (is_of(counts, "sparseMatrix")) {
    counts@x <- log2(counts@x / factors[counts@i + 1L] + 1)
    return(counts)
  }
  log2(counts / factors + 1)
}
