# What a set of features reproduces and keeps of the data it was made from, and which features
# could stand in for those of the set.

data_of_part <- function(part, scale, columns = NULL) {
  x <- if (is.null(columns)) part$x else part$x[, columns, drop = FALSE]
  without_constant_warning(as_data(x, scale, block = part$block))
}

# Finds the neighbours among the `cells`. Returns a function of the columns of a set: list(row, of
# the table; kept, by sample the share that is kept; types, the table by type or NULL; features, the
# table of near-copies; runs, those of k-means)
judge_of_part <- function(part, data, cells, neighbours, scale, clustering) {
  neighbours <- check_count(neighbours, "neighbours", 1L, data$n - 1L)
  check_memory(neighbour_bytes(data_sizes(data), neighbours), "neighbours", "choose fewer")
  on_all <- neighbour_sets(cells, neighbours)
  runs <- if (clustering) 50L else 5L
  error_of <- if (is.null(part$y)) function(columns) NULL else error_by_folds(part, data)
  f1_of <- if (!is.null(part$types)) f1_by_folds(part, data)
  function(columns) {
    own <- data_of_part(part, scale, columns)
    on_some <- neighbour_sets(cells_of(own), neighbours)
    pairs <- function(sets) sets + (col(sets) - 1) * ncol(sets)
    kept <- colMeans(matrix(pairs(on_all) %in% pairs(on_some), neighbours))
    types <- if (!is.null(f1_of)) type_table(part$types, on_all, on_some, kept, f1_of(columns))
    copies <- nearest_copies(data, columns)
    row <- c(list(
      k = length(columns), explained = shares_explained(list(columns), data), kept = mean(kept),
      error = error_of(columns)
    ), if (!is.null(types)) {
      c(colMeans(types[c("same", "f1")], na.rm = TRUE), lowest_f1 = sort(types$f1)[1])
    }, list(redundancy = mean(copies$within), backed = mean(copies$count > 0)))
    list(
      row = as.data.frame(Filter(length, row)), kept = stats::setNames(kept, rownames(part$x)),
      types = types, features = copies,
      runs = if (!is.null(types)) cluster_runs(own, part$types, runs, clustering)
    )
  }
}

# The F1 of each type, 2 TP / (2 TP + FP + FN), of samples told by the rule for classes without the
# samples of their fold, within the levels of a block: a function of the columns. A type with one
# sample has none.
f1_by_folds <- function(part, data) {
  type <- part$types
  told <- which(tabulate(type)[type] > 1L)
  several <- length(unique(type[told])) > 1L
  if (several) {
    response <- class_response(type[told], length(told))
    foldid <- ordered_folds(min(10L, length(told)), response, part$x[told, , drop = FALSE])
  }
  model <- usual_model(type)
  function(columns) {
    if (!several) return(rep(NA_real_, nlevels(type)))
    task <- list(x = .Call(C_columns, unclass(data), columns)[told, , drop = FALSE], y = response$y)
    guess <- response$y
    for (fold in unique(foldid)) {
      out <- which(foldid == fold)
      p <- model$predict(fit_model(model, seq_along(columns), task, which(foldid != fold)),
        model_columns(task$x, seq_along(columns), out)
      )
      guess[out] <- largest_class(p, colnames(p))
    }
    counts <- table(response$y, guess)
    unname((2 * diag(counts) / (rowSums(counts) + colSums(counts)))[levels(type)])
  }
}

# The relative squared error of least squares on some columns, within the levels of a block, by the
# folds and the measure of cv_rowsparse(): a function of the columns
error_by_folds <- function(part, data) {
  response <- centre_response(numeric_response(part$y, data$n), adjustment(data))
  foldid <- fold_columns(list(folds = min(10L, data$n), repeats = 1L), response, part$x)
  counts <- measure_weights(response$Y, rep(1, data$n))
  function(columns) {
    task <- list(x = .Call(C_columns, unclass(data), columns), y = response$Y, unit = 1,
      counts = counts
    )
    points <- list(list(set = seq_along(columns)))
    loss <- vapply(seq_len(max(foldid)), function(fold) {
      held_out_losses(NULL, points, task, which(foldid != fold), which(foldid == fold))[1, ]
    }, numeric(2))
    mean <- fold_summary(t(loss), fold_shares(foldid, counts$plain, logical(max(foldid))))$mean
    mean[2] / mean[1]
  }
}

# By type, the rarest first: its samples, the share of their neighbours that are of the type by
# the panel, by the reference and by chance, the share that the panel keeps, and the F1; NA for a
# type with one sample, which can have no such neighbour
type_table <- function(types, on_all, on_some, kept, f1) {
  size <- tabulate(types, nlevels(types))
  by_type <- function(shares) as.vector(tapply(shares, types, mean))
  alone <- function(shares) ifelse(size > 1, shares, NA_real_)
  own <- function(sets) {
    alone(by_type(colMeans(matrix(types[sets] == types[col(sets)], nrow(sets)))))
  }
  table <- data.frame(
    type = levels(types), samples = size, same = own(on_some), same_all = own(on_all),
    chance = alone((size - 1) / (length(types) - 1)), kept = by_type(kept), f1 = f1
  )
  data.frame(table[order(table$samples), ], row.names = NULL)
}

# At most so many samples, evenly spaced over the rows: list(x, block, types, y, rows, n)
spread_samples <- function(x, samples, block, assay, types, y) {
  if (!identical(samples, Inf)) samples <- check_count(samples, "samples", 2L)
  block <- sample_column(x, block, "block")
  types <- sample_column(x, types, "types")
  if (is.data.frame(types) && length(types) == 1L) types <- types[[1]]
  y <- usable_response(sample_column(x, y, "y"))
  refuse_survival(y)
  check_types_and_response(types, y)
  x <- samples_in_memory(x, assay)
  if (is_sparse_block(x)) sparse_input(x, "x")
  n <- sample_count(x)
  rows <- if (is.na(n)) integer() else seq_len(n) # no samples are refused later
  if (!is.null(types) && !is.na(n)) types <- used_levels(types, n, "types")
  if (!is.null(y) && !is.na(n)) y <- numeric_response(y, n)$Y
  if (isTRUE(n > samples)) {
    rows <- round(seq(1, n, length.out = samples))
    x <- x[rows, , drop = FALSE]
    if (!is.null(block)) {
      check_response_length(block, n, "block")
      block <- part_of(block, rows)
    }
    types <- part_of(types, rows)
    y <- part_of(y, rows)
  }
  list(x = x, block = block, types = types, y = y, rows = rows, n = n)
}

# The samples as neighbours are found among them: on the scores of leading components, centred
# within the levels of a block, where the features allow more
cells_of <- function(data) {
  components <- if (usual_components < largest_dimension(data)) usual_components else Inf
  graph_data(data, list(components = components), list(inner_tol = 1e-8, inner_maxit = 300L))
}

# Those of a matrix with a row for each of all samples, or of the features
cells_of_reference <- function(reference, part, data) {
  if (is.null(reference)) {
    return(cells_of(data))
  }
  refuse_if(length(dim(reference)) != 2L || nrow(reference) != part$n, "length", "reference",
    sprintf("must be a matrix with a row for each of the %d samples, as reducedDim(x) is", part$n),
    describe(reference)
  )
  without_constant_warning(as_data(reference[part$rows, , drop = FALSE], argument = "reference"))
}

# each in its place: numbers of many values are no types, and classes are no numbers
check_types_and_response <- function(types, y) {
  values <- if (is_plain_numeric(types)) length(unique(types)) else 0L
  refuse_if(values > 10L && !may_be_labels(types), "type", "types", "must be classes",
    sprintf("%d different numbers", values),
    "Numbers to be predicted are given as `y =`; factor(types) makes classes of labels"
  )
  refuse_if(is_classes(y), "type", "y", "must be numbers", describe(y),
    "Classes are given as `types =`"
  )
}

# neighbours x n row numbers
neighbour_sets <- function(data, neighbours) {
  matrix(find_neighbours(data, neighbours, "euclidean", ties = FALSE)$index, neighbours)
}

# ---- features that could stand in ------------------------------------------------

# A correlation of this size, either sign, makes a feature a near-copy
near_copy_level <- 0.9

# For every column in `columns` the feature outside that correlates most with it (0 if nothing
# varies with it), and how many reach the level; and its partner, the one of `columns` that
# correlates most with it: a data frame
nearest_copies <- function(data, columns) {
  label <- function(index) if (is.null(data$names)) index else data$names[index]
  outside <- setdiff(seq_len(data$d), columns)
  batches <- split(columns, (seq_along(columns) - 1L) %/% 32L)
  found <- lapply(unname(batches), function(some) {
    r <- abs(correlations_with(data, some))
    r[cbind(some, seq_along(some))] <- -1 # itself
    copy <- largest_of(r, outside)
    partner <- largest_of(r, if (length(columns) > 1L) columns)
    data.frame(
      feature = label(some), copy = label(copy$row), correlation = copy$value,
      count = as.integer(colSums(r[outside, , drop = FALSE] >= near_copy_level)),
      partner = label(partner$row), within = partner$value
    )
  })
  do.call(rbind, found)
}

# The largest value, by column, in these rows, and its row; NA of no rows
largest_of <- function(values, rows) {
  if (length(rows) == 0L) rows <- NA_integer_
  best <- rows[max.col(t(values[rows, , drop = FALSE]), "first")]
  list(row = best, value = values[cbind(best, seq_along(best))])
}

# d x length(columns), 0 where a feature does not vary
correlations_with <- function(data, columns) {
  deviation <- ifelse(data$constant, Inf, sqrt(raw_square(data)))
  r <- scatter_columns(data, columns) / outer(deviation, deviation[columns])
  pmax(pmin(r, 1), -1)
}
