# One coercion path for every kind of input. as_data() returns a list of class
# "rowsparse_data" that the C code reads:
#   kind     "dense" (x: matrix), "sparse" (i, p, x: slots), "moments" (S), "blocks" (see
#            data_blocks.R)
#   n, d     samples, features
#   mean     column means; weight: what features are multiplied by, 1/scale (0 for constant ones),
#            or NULL; scaled: by the caller's wish
#   fine     what rounding took from the means: see "means in two numbers" below
#   observed weights of the samples, see weights.R; or NULL
#   block    the factor within whose levels the data are centred, see block.R; or NULL
#   design   several variables that the data are residuals of, see block_design.R; or NULL
#   square   centred sums of squares per feature, weight included
#   names    feature names or NULL; constant: features without variance
#   kept     where the C code leaves what it makes of the data for the next call
#   view, locked   what `exclude` and `include` did, see include.R; groups: see groups.R

as_data <- function(x, scale = FALSE, assay = NULL, block = NULL, include = NULL,
                    exclude = NULL, argument = "x", weights = NULL,
                    select = !missing(include), groups = NULL) {
  force(select) # before `include` is assigned
  scale <- check_flag(scale, "scale")
  if (inherits(x, "rowsparse_data")) {
    return(lock_features(add_groups(x, groups), include, exclude))
  }
  if (is_experiment(x) && is.null(groups)) {
    include <- names_of_symbols(include, x, "include")
    exclude <- names_of_symbols(exclude, x, "exclude")
  }
  raw <- read_input(x, assay, argument)
  refuse_if(raw$d < 1L, "size", argument, "must have at least one feature (column)", "none")
  refuse_if(raw$n < 2L, "size", argument, "must have at least 2 samples (rows)", raw$n)
  check_names(raw$names, argument)
  raw <- lock_features(add_groups(raw, groups), include, exclude)
  raw <- add_block(raw, sample_column(x, block, "block"), argument)
  raw <- add_weights_of_samples(raw, sample_column(x, weights, "weights"), argument)
  raw <- finish_data(raw, scale, argument)
  # ties are broken by what the features hold, not by their order, in all that selects
  if (select) order_by_content(raw) else raw
}

read_input <- function(x, assay, argument) {
  if (inherits(x, "rowsparse_moments")) {
    moments_input(x, argument)
  } else if (inherits(x, "rowsparse_blocks")) {
    blocks_input(x, argument)
  } else if (is_experiment(x)) {
    raw <- read_input(experiment_matrix(x, assay, argument, row_blocks), NULL, argument)
    raw$assay <- assay
    raw$chosen <- choose_assay(x, assay)
    raw$identifiers <- experiment_identifiers(x)
    raw
  } else if (is_of(x, "DelayedMatrix")) {
    check_delayed()
    x <- if (is_small(x)) realised(x, argument) else large_blocks(x, argument)
    read_input(x, assay, argument)
  } else if (is.data.frame(x)) {
    dense_input(data_frame_matrix(x, argument), argument)
  } else if (is_of(x, "sparseMatrix")) {
    sparse_input(x, argument)
  } else if (is_of(x, "Matrix")) {
    dense_input(as.matrix(x), argument)
  } else {
    dense_input(x, argument)
  }
}

# Is x of this class, also where the package that defines it is not loaded yet, as of an object
# that was read from a file? The package is loaded then, and only then: Matrix takes a second, and
# garbage collections are several times as long with it.
is_of <- function(x, class) {
  if (isS4(x)) {
    package <- attr(class(x), "package")
    if (!is.null(package) && package != ".GlobalEnv") requireNamespace(package, quietly = TRUE)
  }
  inherits(x, class)
}

dense_input <- function(x, argument) {
  check_no_formula(x, argument)
  refuse_if(!is.matrix(x) || !(is_plain_numeric(x) || is.logical(x)), "type", argument,
    paste(
      "must be a numeric matrix, a data frame of numeric columns, a sparse Matrix,",
      "a moments object or a SummarizedExperiment"
    ),
    describe(x), way_out_of_type(x)
  )
  if (is.object(x)) x <- unclass(x) # tables, time series
  if (is.logical(x)) storage.mode(x) <- "integer"
  raw_rows(x)
}

# a matrix of numbers, or a sound dgCMatrix, as the C code reads it
raw_rows <- function(x, names = colnames(x)) {
  raw <- list(kind = "dense", n = nrow(x), d = ncol(x), x = x, names = names)
  if (is_sparse_block(x)) raw[c("kind", "i", "p", "x")] <- list("sparse", x@i, x@p, x@x)
  raw
}

# Objects of other packages: what makes an experiment, or samples in rows, of them
conversions <- c(
  Seurat = "Seurat::as.SingleCellExperiment(x)", ExpressionSet = "t(Biobase::exprs(x))",
  EList = "t(x$E)", MAList = "t(x$M)", DGEList = "t(edgeR::cpm(x, log = TRUE))",
  MultiAssayExperiment = "MultiAssayExperiment::getWithColData(x, 1)",
  DataFrame = "as.data.frame(x, optional = TRUE)"
)

conversion_of <- function(x) {
  own <- Find(function(class) is_of(x, class), names(conversions))
  if (!is.null(own)) sprintf("`%s` makes data of it, see ?experiments", conversions[[own]])
}

way_out_of_type <- function(x) {
  if (inherits(x, "integer64")) {
    "Convert 64-bit integers with bit64::as.double.integer64()"
  } else if (is.character(x) && is.matrix(x)) {
    "If these are numbers that were read as text, convert them with storage.mode(x) <- \"double\""
  } else if (is_plain_numeric(x) && is.null(dim(x))) {
    "If this is one feature, pass cbind(x)"
  } else {
    conversion_of(x)
  }
}

# compressed columns in double precision, their slots checked, also by the C code, which reads them
sparse_input <- function(x, argument) {
  check_valid(x, argument)
  if (!is_sparse_block(x)) {
    x <- sparse_of(methods::as(x, "dMatrix"))
  }
  sound <- .Call(C_check_sparse, x@i, x@p, nrow(x), ncol(x)) == 0L
  refuse_slots(!sound, argument, "its slots i and p point outside of it, or are out of order")
  raw_rows(x)
}

check_valid <- function(x, argument) {
  problem <- tryCatch(methods::validObject(x, test = TRUE), error = conditionMessage)
  refuse_slots(!isTRUE(problem), argument, problem[1])
}

refuse_slots <- function(wrong, argument, problem) {
  refuse_if(wrong, "type", argument, "must be a valid sparse matrix",
    paste("one that is not:", shorten(problem, 200L)),
    "methods::validObject() checks it; Matrix::sparseMatrix() makes one from triplets"
  )
}

data_frame_matrix <- function(x, argument) {
  check_whole_frame(x, argument)
  numeric <- vapply(x, function(column) is_plain_numeric(column) || is.logical(column), logical(1))
  if (!all(numeric)) {
    first <- which(!numeric)[1]
    stop_rowsparse("type", argument, "must have numeric columns only",
      sprintf("%d that %s not, the first in %s: %s", sum(!numeric),
        if (sum(!numeric) == 1) "is" else "are", column_label(names(x), first), describe(x[[first]])
      ), paste0(
        if (argument == "x") "`rowsparse(x, method = ...)` takes factors, text and dates; ",
        sprintf("`%1$s[sapply(%1$s, is.numeric)]` leaves them out", argument)
      )
    )
  }
  as.matrix(x)
}

# one that was changed by hand may have other names or lengths than columns
check_whole_frame <- function(x, argument) {
  rows <- .row_names_info(x, 2L)
  refuse_if(!is.character(names(x)) || any(vapply(x, NROW, 0L) != rows), "type", argument,
    "must be a data frame with names and as many rows in each column", "one that is not"
  )
}

moments_input <- function(x, argument) {
  check_moments(x, argument)
  raw <- list(
    kind = "moments", n = x$n, d = length(x$mean), mean = as.double(unname(x$mean)),
    names = x$feature_names, block = moments_block(x, argument),
    observed = if (!is.null(x$weight)) list(total = x$weight, count = moments_count(x)),
    gaps = x[["missing"]][c("entries", "by_column")]
  )
  # variances of a sketch are exact, products are those of its factor
  own <- if (is_sketch(x)) {
    list(factor = unname(x$factor), error = x$error, fine = x$fine, square = unname(x$square))
  } else {
    list(S = x[["S"]], square = unname(diag(x[["S"]])))
  }
  c(raw, own)
}

# Moments may come from elsewhere: the parts that the C code reads must go together.
check_moments <- function(x, argument) {
  stop_moments <- function(problem) {
    stop_rowsparse("type", argument, "must be moments as moments() makes them", problem,
      "Moments are not meant to be changed by hand: make them again from the data"
    )
  }
  if (!is.list(x) || !has_sound_parts(x)) stop_moments("parts that do not go together")
  if (is_sketch(x)) {
    if (any(colSums(x$factor^2) > x$square * (1 + 1e-6) + 1e-9 * max(x$square))) {
      stop_moments("a factor that does not go with the rest")
    }
    return(invisible())
  }
  column <- .Call(C_check_cross_products, x$S)
  if (column > 0L) {
    stop_moments(sprintf("an `S` that cannot be cross-products (%s)",
      column_label(x$feature_names, column)
    ))
  }
}

# types and sizes: of d features, c responses, l levels, and a model of gaps in p columns. S has
# its own check.
has_sound_parts <- function(x) {
  d <- length(x$mean)
  c <- length(x$y_mean)
  block <- x$block
  l <- if (is.list(block)) length(block$levels) else 0L
  model <- x[["missing"]]$model
  p <- length(model$own)
  parts <- list(
    mean = d, fine = d, weight = 1L, count = 1L, square = d, factor = c(NROW(x$factor), d),
    error = 1L, y_mean = c, y_fine = c, Sxy = c(d, c), Syy = c(c, c), y_range = c(2L, c)
  )
  of_block <- list(size = l, mean = c(l, d), fine = c(l, d), y_mean = c(l, c), y_fine = c(l, c))
  of_model <- list(scale = p, centre = p, rest = p, mean = p, W = c(p, NCOL(model$W)), noise = 1L)
  there <- function(x, parts) !any(vapply(x[parts], is.null, NA))
  response <- c("y_mean", "Sxy", "Syy")
  names <- x$feature_names
  is_number(x$n) && x$n >= 1 && all(c(x$weight, x$count) > 0) && are_sized(x, parts) &&
    all(c(x$square, x$error) >= 0) &&
    (is.null(names) || (is.character(names) && length(names) == d)) &&
    (if (is_sketch(x)) {
      there(x, c("square", "error", "rank")) && x$rank >= nrow(x$factor)
    } else {
      is.double(x[["S"]]) && identical(dim(x[["S"]]), c(d, d))
    }) &&
    ((there(x, response) && is_text(x$y_type)) || c == 0L) && length(x$levels) %in% c(0L, c) &&
    (is.null(block) || (is.list(block) && is.character(block$levels) && l > 0L &&
      are_sized(block, of_block) && there(block, c("size", "mean", if (c > 0L) "y_mean")) &&
      sum(block$size) == x$n)) &&
    all(model$own %in% seq_len(d)) && are_sized(model, of_model)
}

# absent, or finite doubles of these sizes
are_sized <- function(x, sizes) {
  all(vapply(names(sizes), function(name) {
    part <- x[[name]]
    is.null(part) || (is.double(part) && all(is.finite(part)) &&
      identical(or_default(dim(part), length(part)), sizes[[name]]))
  }, NA))
}

check_names_given <- function(names, argument) {
  refuse_if(anyNA(names), "names", argument, "must have a name for every feature, or none at all",
    paste("NA as the name of", column_label(NULL, which(is.na(names))[1])),
    "Give these features names, or leave them out"
  )
}

check_names <- function(names, argument) {
  check_names_given(names, argument)
  refuse_if(anyDuplicated(names) > 0L, "names", argument, "must have distinct feature names",
    sprintf("%d repeated (first: %s)", sum(duplicated(names)), quoted(names[anyDuplicated(names)])),
    "make.unique() makes names distinct"
  )
}

finish_data <- function(raw, scale, argument) {
  if (raw$kind == "blocks" && is_held_wide(data_sizes(raw))) raw <- held_rows(raw)
  if (raw$kind == "moments") {
    raw$deviation <- sqrt(raw$square / variance_divisor(raw))
    raw$largest <- pmax(abs(raw$mean), raw$deviation)
  } else {
    # rooms for one centred copy beside the data
    check_memory(if (raw$kind == "dense") 8 * raw$n * raw$d else 0, argument,
      "pass it as a sparse matrix or as moments of blocks of rows"
    )
    raw <- add_statistics(raw, argument)
  }
  raw$constant <- is_constant(raw)
  check_magnitude(raw, scale, argument)
  check_constant(raw, argument)
  raw <- add_weights(raw, scale)
  # where the C code leaves its centred copy of dense data for the next call
  if (raw$kind == "dense") raw$kept <- .Call(C_keeper)
  structure(raw, class = "rowsparse_data")
}

# means, squares, deviations and magnitudes of the columns, all finite values
add_statistics <- function(raw, argument) {
  if (!is.null(raw$observed)) {
    return(weighted_statistics(raw, argument))
  }
  if (raw$kind == "blocks") {
    stats <- block_statistics(raw)
  } else {
    stats <- .Call(C_column_stats, raw$x, raw$p, raw$n, row_groups(raw))
    check_finite(stats, raw, argument)
  }
  if (!is.null(raw$block)) raw$block[c("mean", "fine")] <- stats[c("level_mean", "level_fine")]
  parts <- c("mean", "fine", "square", "deviation", "largest")
  raw[parts] <- stats[parts]
  if (!is.null(raw$design)) raw$deviation <- sqrt(raw$square / variance_divisor(raw))
  raw
}

# ---- means in two numbers ----------------------------------------------------

# Where features are far from zero, what rounding takes from their means is not small beside
# what is left of them. So a mean is kept in two numbers, `mean` and `fine`, whose sum it is.

# a + b in two numbers
sum_in_two <- function(a, b) {
  sum <- a + b
  added <- sum - a
  list(mean = sum, fine = (a - (sum - added)) + (b - added))
}

# b less a, both lists with means in two numbers (without `fine`: zeros)
gap_of_means <- function(a, b) (b$mean - a$mean) + (or_default(b$fine, 0) - or_default(a$fine, 0))

# Means of both, the second of which has this share; of matrices, a share for each row
pool_means <- function(a, b, share) {
  out <- sum_in_two(a$mean, or_default(a$fine, 0) + gap_of_means(a, b) * share)
  out$fine <- unname(out$fine)
  alone <- which(share == 1) # there is nothing of the first
  if (is.matrix(out$mean) && length(alone) > 0L) {
    out$mean[alone, ] <- b$mean[alone, ]
    out$fine[alone, ] <- if (is.null(b$fine)) 0 else b$fine[alone, ]
  }
  out
}

# the columns of Y less their means: list(values, mean, fine)
centre_columns <- function(Y) {
  mean <- colMeans(Y)
  values <- sweep(Y, 2, mean)
  rest <- colMeans(values)
  c(list(values = sweep(values, 2, rest)), sum_in_two(mean, rest))
}

# a deviation at the rounding level of the means that are taken off counts as none
is_constant <- function(raw) {
  level <- if (is.null(raw$block$mean)) abs(raw$mean) else apply(abs(raw$block$mean), 2, max)
  raw$deviation <= 8 * .Machine$double.eps * level
}

# Share of zeros in all values; in the first of row blocks, and none if they are dense
share_of_zeros <- function(data) {
  switch(data$kind, sparse = 1 - length(data$x) / (as.double(data$n) * data$d),
    blocks = 1 - data$density, mean(data$x == 0)
  )
}

# Squares must be numbers that double precision holds: those of all features and
# their sum, or, where every feature is scaled, only its standard deviation.
check_magnitude <- function(raw, scale, argument, scalable = raw$kind != "moments") {
  varying <- which(!raw$constant)
  size <- if (scale) raw$deviation[varying] else raw$square[varying]
  bounds <- if (scale) c(1e-300, 1e300) else c(1e-304, 1e306)
  large <- any(raw$largest > 8e307) || any(size > bounds[2]) || (!scale && sum(size) > bounds[2])
  # deviations are roots of these squares, or told by the data themselves
  plain <- scalable && raw$kind != "blocks" && is.null(raw$observed) && is.null(raw$design)
  lost <- which(!plain & raw$n > 1 & raw$square < 1e-304 & raw$largest > 0 & raw$largest < 1e-150)
  if (!large && !any(size < bounds[1]) && length(lost) == 0L) {
    return(invisible())
  }
  column <- if (large) which.max(raw$largest) else c(lost, varying[which.min(size)])[1]
  stop_rowsparse("scale", argument,
    if (scale && plain) {
      "must have features with standard deviations from 1e-300 to 1e300"
    } else {
      "must have features whose squares double precision can hold (about 1e-150 to 1e150)"
    },
    sprintf("%s with %s %s", data_column_label(raw, column),
      if (large || column %in% lost) "values as large as" else "a standard deviation of",
      format((if (large || column %in% lost) raw$largest else raw$deviation)[column], digits = 3)
    ),
    paste0("Divide by that number", if (!scale && scalable) ", or use scale = TRUE")
  )
}

# rows and columns of the numbers that are not finite
not_finite <- function(raw) {
  at <- which(!is.finite(raw$x)) - 1L
  if (raw$kind == "sparse") {
    list(row = raw[["i"]][at + 1L] + 1L, column = findInterval(at, raw$p))
  } else {
    list(row = at %% raw$n + 1L, column = at %/% raw$n + 1L)
  }
}

check_finite <- function(stats, raw, argument) {
  if (stats$bad == 0) {
    return(invisible())
  }
  at <- not_finite(raw)
  rows <- sort(unique(at$row))
  names <- view_of(raw)$names
  labels <- outer_index(unique(at$column), raw)
  if (!is.null(names)) labels <- paste0("\"", strtrim(in_valid_bytes(names[labels]), 20L), "\"")
  # the numbers of rows and columns tell whether to drop the ones or the others
  stop_rowsparse("nonfinite", argument, "must not hold NA, NaN or infinite values",
    sprintf(paste("%.0f of them, the first at row %.0f, %s; they are in %d of %d rows (%s) and",
      "%d of %d columns (%s)"),
      stats$bad, at$row[1], data_column_label(raw, at$column[1]), length(rows), raw$n,
      first_few(rows), length(labels), raw$d, first_few(labels)
    ),
    paste0(
      "Leave out the samples, ",
      if (is.null(raw$chosen)) {
        sprintf(paste("`keep <- rowSums(!is.finite(as.matrix(%1$s))) == 0`,",
          "then `%1$s[keep, ]`, and the same of a response"
        ), argument)
      } else {
        samples_of_experiment(raw$chosen, argument)
      },
      if (!any(is.infinite(raw$x))) {
        sprintf(paste0(". What takes moments() takes `moments(%1$s, missing = \"em\")`, or with a",
          " response `moments(%1$s, y, missing = \"em\")`"
        ), argument)
      }
    )
  )
}

# At most so many labels, and that there are more
first_few <- function(labels, most = 4L, more = "...") {
  paste(c(utils::head(labels, most), if (length(labels) > most) more), collapse = ", ")
}

# The warning comes once per session for data of one size with as many constant features: every
# fit, plot and evaluation of the same data would say so again. What stops at it has not heard it.
check_constant <- function(raw, argument) {
  refuse_if(all(raw$constant), "constant", argument,
    paste0("must have a feature that varies", if (!is.null(raw$block)) " within levels of `block`",
      if (!is.null(raw$design)) " beside the variables of `block`"
    ),
    "constant columns only"
  )
  warn_constant_include(raw)
  count <- sum(raw$constant) - sum(raw$constant[raw$locked])
  size <- paste(raw$n, raw$d, count)
  always <- identical(getOption("rowsparse.warn_constant"), "always")
  if (count > 0 && (always || !size %in% already_said$sizes)) {
    names <- raw$names[setdiff(which(raw$constant), raw$locked)]
    warn_rowsparse("constant", sprintf("%d constant feature%s%s: score 0, ranked last.", count,
      if (count > 1) "s" else "",
      if (length(names) %in% 1:4) sprintf(" (%s)", few_quoted(names)) else ""
    ))
    already_said$sizes <- c(already_said$sizes, size)
  }
}

# what has been warned of
already_said <- new.env(parent = emptyenv())

# Scale by the standard deviation. Constant features have weight 0: the rounding errors of those
# with a large mean may exceed all other features.
add_weights <- function(raw, scale) {
  raw$scaled <- scale
  if (scale) {
    raw$weight <- ifelse(raw$constant, 0, 1 / raw$deviation)
    raw$square <- rep_len(as.double(variance_divisor(raw)), raw$d)
  } else if (any(raw$square[raw$constant] > 0)) {
    raw$weight <- as.double(!raw$constant)
  }
  raw$square[raw$constant] <- 0
  raw
}

# what features were divided by, 1 for those that are constant; NULL where none was
feature_scales <- function(data) {
  if (isTRUE(data$scaled)) {
    per_feature(ifelse(data$weight > 0, 1 / data$weight, 1), data, 1, names = NULL)
  }
}

# the trace of S = Xc'Xc
data_trace <- function(data) sum(data$square)

# Data as the covariance operator wants them for about `iterations` products with m columns. The C
# code decides whether S is formed, in up to a quarter of the memory; it is kept for later calls.
as_operator <- function(data, m, iterations = 50) {
  if (!is.null(data$operator)) {
    return(data$operator)
  }
  if (takes_wide_products(data)) {
    data$wide_products <- TRUE
    return(data)
  }
  S <- .Call(C_operator, unclass(data),
    list(m = m, iterations = iterations, memory = memory_bytes() / 4)
  )
  if (is.null(S)) {
    return(data)
  }
  data$S <- S
  data$kind <- "moments"
  data$x <- data$weight <- data$kept <- NULL # the weights are in S
  data
}

# The m leading eigenvectors of S and their values; `tol`: residuals, relative to the largest
# value, that will do; 0: as small as pays
leading_eigenvectors <- function(operator, m, tol = 0) {
  if (!has_leading(operator, m, tol)) {
    found <- .Call(C_truncated_svd, unclass(operator), m,
      list(tol = tol, maxit = 300L, left = FALSE)
    )
    return(list(values = found$squares, vectors = found$right, tol = tol))
  }
  known <- operator$leading
  first <- seq_len(m)
  list(values = known$values[first], vectors = known$vectors[, first, drop = FALSE])
}

# m of them, no rougher than asked for
has_leading <- function(operator, m, tol) {
  length(operator$leading$values) >= m && !isTRUE(operator$leading$tol > tol)
}

# data with the operator and its m leading eigenvectors in them, for fits that share them; `rough`:
# less exact ones do where they take long
with_leading <- function(data, m, rough = FALSE, iterations = 50) {
  operator <- as_operator(data, m, iterations)
  # where every digit is a pass over the data, or products with them take long
  slow <- operator$kind == "blocks" || isTRUE(operator$wide_products) ||
    (operator$kind == "dense" && as.double(operator$n) * operator$d > large_cells)
  tol <- if (rough && slow) spectrum_tol else 0
  if (!has_leading(operator, m, tol)) operator$leading <- leading_eigenvectors(operator, m, tol)
  data$operator <- operator
  data
}

# largest m for which a d x m orthonormal basis of scores makes sense
largest_dimension <- function(data) {
  rows <- if (is_sketch(data)) nrow(data$factor) else degrees_of_freedom(data)
  max(1L, min(rows, degrees_of_freedom(data), sum(!data$constant)))
}

check_dimension <- function(m, data, argument = "m") {
  if (argument == "k") {
    if (is_grouped(data)) {
      return(check_group_size(m, data))
    }
    check_locked_size(m, data)
    data$factor <- NULL # limits the components only
  }
  check_count(m, argument, 1L, largest_dimension(data))
}
