# Several data sets as one: a list of experiments or matrices becomes their samples one after
# the other on the features that all of them have, with the data set of each sample as a block.

is_data_sets <- function(x) {
  is.list(x) && identical(class(x), "list") && length(x) > 0L &&
    all(vapply(x, is_data_set, NA))
}

is_data_set <- function(x) {
  is_experiment(x) || is.data.frame(x) || (is.matrix(x) && is.numeric(x)) ||
    inherits(x, c("sparseMatrix", "DelayedMatrix", "rowsparse_blocks"))
}

# list(x, y, block, weights, first): `first` is one of the sets, as it was given
join_data_sets <- function(x, y, block, weights, assay) {
  if (is.null(names(x))) names(x) <- paste0("set", seq_along(x))
  if (anyNA(names(x)) || !all(nzchar(names(x))) || anyDuplicated(names(x))) {
    stop_rowsparse("names", "x", "must have distinct names for its data sets", toString(names(x)))
  }
  parts <- lapply(stats::setNames(nm = names(x)), function(name) {
    samples_of_set(x[[name]], assay, paste0("x$", name))
  })
  joined <- join_samples(parts, common_features(parts))
  sizes <- vapply(parts, set_rows, 1)
  own <- factor(rep(names(x), sizes), names(x))
  list(
    x = joined, y = join_values(x, y, "y", sizes), block = join_block(x, block, own, sizes),
    weights = join_values(x, weights, "weights", sizes), first = x[[1]]
  )
}

samples_of_set <- function(x, assay, argument) {
  values <- if (is_experiment(x)) experiment_matrix(x, assay, argument, delayed = "large") else x
  if (inherits(values, "DelayedMatrix")) values <- small_or_blocks(values, argument)
  if (is.data.frame(values)) values <- data_frame_matrix(values, argument)
  if (inherits(values, "sparseMatrix")) values <- sound_columns(values, argument)
  values
}

set_rows <- function(x) if (inherits(x, "rowsparse_blocks")) sum(x$rows) else nrow(x)

# in the order of the first set; NULL: sets without names, of as many features
common_features <- function(parts) {
  features <- lapply(parts, function(x) {
    colnames(if (inherits(x, "rowsparse_blocks")) blocks_outline(x) else x)
  })
  unnamed <- vapply(features, is.null, NA)
  if (all(unnamed) && length(unique(vapply(parts, ncol, 1))) == 1L) {
    return(NULL)
  }
  if (any(unnamed)) {
    stop_rowsparse("names", "x", "must have data sets with names of their features",
      sprintf("none in %s", quoted(names(parts)[unnamed][1]))
    )
  }
  for (i in seq_along(features)) check_names(features[[i]], paste0("x$", names(parts)[i]))
  common <- Reduce(intersect, features)
  if (length(common) == 0L) {
    stop_rowsparse("names", "x", "must have data sets with common features", "none in all of them",
      "Symbols in one and identifiers in another? Give all the same names"
    )
  }
  all <- length(unique(unlist(features)))
  if (length(common) < all) {
    say_rowsparse("common", sprintf("%.0f of %.0f features are in all data sets: these are used.",
      length(common), all
    ))
  }
  common
}

join_samples <- function(parts, common) {
  if (any(vapply(parts, inherits, NA, "rowsparse_blocks"))) {
    return(join_sources(parts, common))
  }
  sparse <- any(vapply(parts, inherits, NA, "sparseMatrix"))
  chosen <- lapply(parts, function(x) {
    if (!is.null(common)) x <- x[, common, drop = FALSE]
    if (sparse) sparse_block(x) else x
  })
  if (!sparse) check_memory(8 * sum(lengths(chosen)), "x", "pass them as row_blocks()")
  do.call(rbind, unname(chosen))
}

# block after block of all sets
join_sources <- function(parts, common) {
  sources <- lapply(unname(parts), function(x) {
    if (inherits(x, "rowsparse_blocks")) x else row_blocks(x)
  })
  joined_by <- function(by) {
    joined_reader(lapply(sources, `[[`, by), lengths(lapply(sources, `[[`, "rows")),
      lapply(sources, `[[`, "names"), common
    )
  }
  joined <- new_blocks(joined_by("read"), unlist(lapply(sources, `[[`, "rows")), common,
    source = sprintf("%d data sets", length(sources))
  )
  # where the counts of all are kept, see log_counts()
  if (all(vapply(sources, function(x) is.function(x$from_source), NA))) {
    joined$from_source <- joined_by("from_source")
  }
  joined
}

# the blocks of all `reads` in order, `count` of each, with the `common` columns
joined_reader <- function(reads, count, names, common) {
  set <- rep(seq_along(reads), count)
  number <- unlist(lapply(count, seq_len))
  force(reads)
  force(names)
  force(common)
  function(i) {
    rows <- block_matrix(reads[[set[i]]](number[i]), "x")
    known <- or_default(colnames(rows), names[[set[i]]])
    if (is.null(common) || identical(known, common)) {
      return(rows)
    }
    colnames(rows) <- known
    rows[, common, drop = FALSE]
  }
}

# a column of all experiments, a list with the values of each set, or of all samples in order
join_values <- function(x, value, argument, sizes) {
  if (is_text(value) && all(vapply(x, is_experiment, NA))) {
    value <- lapply(x, function(one) {
      column <- column_of_samples(one, value, argument)
      attr(column, "column") <- NULL
      column
    })
  }
  if (!is.list(value) || is.data.frame(value)) {
    return(value)
  }
  if (length(value) != length(x) || any(lengths(value) != sizes)) {
    stop_rowsparse("length", argument, sprintf(
      "must have one entry per sample of each data set (%s)", toString(sizes)
    ), toString(lengths(value)))
  }
  if (!is.null(names(value)) && setequal(names(value), names(x))) value <- value[names(x)]
  numbers <- all(vapply(value, is_plain_numeric, NA))
  value <- unlist(lapply(unname(value), if (numbers) as.double else as.character))
  if (numbers || argument == "weights") value else factor(value)
}

# the data set of each sample, and whatever else was given
join_block <- function(x, block, own, sizes) {
  several <- nlevels(own) > 1L
  if (is.null(block)) {
    return(if (several) own)
  }
  experiments <- all(vapply(x, is_experiment, NA))
  wanted <- if (inherits(block, "formula")) all.vars(block) else if (is.character(block)) block
  if (experiments && length(wanted) > 0L && length(wanted) < length(own)) {
    table <- lapply(stats::setNames(nm = wanted), function(name) {
      join_values(x, name, "block", sizes)
    })
    formula <- inherits(block, "formula")
    block <- if (formula) block_variables(block, table) else block_variables(table)
  } else if (is.list(block) && !is.data.frame(block) && identical(names(block), names(x))) {
    block <- join_values(x, block, "block", sizes)
  } else {
    block <- block_variables(block)
  }
  variables <- if (is_variables(block)) as.list(block) else list(as.factor(block))
  if (is.null(names(variables))) names(variables) <- if (is_text(wanted)) wanted else "block"
  for (value in variables) check_response_length(value, length(own), "block")
  if (several) variables$set <- own
  block_variables(variables)
}

# what rowsparse() was given, with `more` arguments of the method, several data sets as one
join_for_front_door <- function(x, y, block, more, assay) {
  given <- list(x = x, y = y, block = block, more = more, assay = assay)
  if (!is_data_sets(x)) {
    return(given)
  }
  if (!is.null(assay) && !any(vapply(x, is_experiment, NA))) {
    stop_rowsparse("argument", "assay", "is for experiments", describe(assay))
  }
  joined <- join_data_sets(x, y, block, more[["weights"]], assay)
  more[["weights"]] <- joined$weights
  c(joined[c("x", "y", "block", "first")], list(more = more))
}
