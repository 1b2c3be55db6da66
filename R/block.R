# The factor `block`. A block is a list, data$block:
#   code     level of each sample, from 1 (NULL in moments, where `used` are the levels
#            of moments() that have samples)
#   levels   their names; size: samples of each
#   column   its name in the colData of an experiment, where it came by that
#   mean     levels x d: the means of the features in each; fine: what rounding took from them

# NULL, or code, levels and size of a factor (or vector) that was given; of several variables
# that are more than a factor their design, see block_design.R
as_block <- function(block, n) {
  if (is.null(block)) {
    return(NULL)
  }
  block <- block_variables(block)
  if (is.data.frame(block)) block <- as_design(block, n)
  if (inherits(block, "rowsparse_design")) {
    return(block)
  }
  column <- attr(block, "column", exact = TRUE)
  block <- coded_levels(used_levels(block, n, "block"))
  check_level_sizes(block$size, block$levels, "block")
  c(block, list(column = column))
}

coded_levels <- function(block) {
  list(
    code = as.integer(block), levels = levels(block),
    size = as.double(tabulate(block, nlevels(block)))
  )
}

check_level_sizes <- function(size, levels, argument) {
  if (length(levels) < 2L) {
    stop_rowsparse("block", argument, "must have at least two levels",
      paste("one level,", quoted(levels)), "Leave it out: all samples are of one kind"
    )
  }
  if (any(size < 2)) {
    alone <- levels[size < 2]
    stop_rowsparse("block", argument, "must have at least two samples of each level",
      paste0("one of level ", quoted(alone[1]),
        if (length(alone) > 1L) sprintf(", and of %d others", length(alone) - 1L)
      ),
      "A sample alone in its level is zero once its mean is off: leave it out, or merge levels"
    )
  }
}

# a factor of n samples without missing values; levels without samples are dropped
used_levels <- function(block, n, argument) {
  droplevels(all_levels(block, n, argument))
}

all_levels <- function(block, n, argument = "block") {
  refuse_variables(block)
  if (!is.factor(block) && !(is.atomic(block) && is.null(dim(block)))) {
    stop_rowsparse("type", argument, "must be a factor, or a vector with the level of each sample",
      describe(block)
    )
  }
  if (length(block) != n) {
    stop_rowsparse("length", argument, sprintf("must have one entry per sample (%.0f)", n),
      format(length(block))
    )
  }
  if (anyNA(block)) {
    stop_rowsparse("nonfinite", argument, "must not hold NA",
      sprintf("%d of them, the first at %d", sum(is.na(block)), which(is.na(block))[1]),
      "Leave out the samples of unknown level, or give them a level of their own"
    )
  }
  as.factor(block)
}

# the block of data that were read, or of none
add_block <- function(raw, block, argument) {
  if (raw$kind == "moments") {
    if (!is.null(block)) {
      stop_rowsparse("block", "block", "must be left out: moments carry their own block",
        describe(block), "Give it to moments()"
      )
    }
    return(raw)
  }
  block <- as_block(block, raw$n)
  if (inherits(block, "rowsparse_design")) {
    return(add_design(raw, block, argument))
  }
  raw$block <- block
  check_memory(32 * as.double(length(block$levels)) * raw$d, argument,
    "use a block with fewer levels"
  )
  raw
}

# of the sums of squares of centred data: n less 1, the levels of the block or the rank of a design
degrees_of_freedom <- function(data) {
  data$n - if (is.null(data$design)) max(1L, length(data$block$levels)) else ncol(data$design$Q)
}

# what the C code wants to know of the rows from `from` on, n of them
row_groups <- function(raw, from = 0L, n = raw$n) {
  block <- raw$block
  if (is.null(block)) {
    return(NULL)
  }
  code <- if (n == raw$n) block$code else block$code[from + seq_len(n)]
  size <- as.double(tabulate(code, length(block$levels)))
  list(code = code, size = size, degrees = as.double(max(1, n - sum(size > 0))), row = raw[["i"]])
}

# the largest magnitude that was taken off each feature
level_magnitude <- function(raw) {
  if (is.null(raw$block$mean)) abs(raw$mean) else apply(abs(raw$block$mean), 2, max)
}

# these columns as a plain matrix, centred and not scaled
centred_columns <- function(data, columns) {
  chosen <- dense_columns(data, columns)
  if (!is.null(data$observed)) { # as they are in sums of squares
    return(chosen)
  }
  if (is.null(data$block)) {
    return(sweep(sweep(chosen, 2, data$mean[columns]), 2, data$fine[columns]))
  }
  chosen <- chosen - data$block$mean[data$block$code, columns, drop = FALSE]
  chosen - data$block$fine[data$block$code, columns, drop = FALSE]
}

# levels x m, also for levels without samples
level_sums <- function(Y, block) {
  sums <- matrix(0, length(block$levels), ncol(Y))
  sums[sort(unique(block$code)), ] <- rowsum(Y, block$code)
  sums
}

# levels x c, in two numbers
level_means <- function(Y, block) {
  size <- pmax(block$size, 1)
  mean <- level_sums(Y, block) / size
  sum_in_two(mean, level_sums(Y - mean[block$code, , drop = FALSE], block) / size)
}

# a plain matrix, centred within the levels of a block where there is one
without_level_means <- function(x, block) {
  if (is.null(block)) {
    return(x)
  }
  if (inherits(block, "rowsparse_design")) {
    return(without_design(x, block))
  }
  means <- level_means(x, block)
  (x - means$mean[block$code, , drop = FALSE]) - means$fine[block$code, , drop = FALSE]
}

# ---- parts of the samples -------------------------------------------------------------

# rows of a part without those that are alone in their level, unless all are
rows_in_company <- function(rows, block) {
  if (is.null(block)) {
    return(rows)
  }
  refuse_variables(block, "where parts of the samples are fitted")
  level <- as.character(block)[rows]
  kept <- rows[level %in% names(which(table(level) > 1))]
  if (length(kept) > 1L) kept else rows
}

# the block of a part; NULL where one level is left, or none has two samples
block_of_rows <- function(block, rows) {
  block <- as.character(block)[rows]
  if (length(unique(block)) > 1L && all(table(block) > 1)) block
}

# ---- moments --------------------------------------------------------------------------

# the block of moments as data have it: levels without samples are left out
moments_block <- function(x, argument) {
  block <- x$block
  if (is.null(block)) {
    return(NULL)
  }
  used <- which(block$size > 0)
  check_level_sizes(block$size[used], block$levels[used], paste0(argument, "$block"))
  list(
    levels = block$levels[used], size = block$size[used], used = used,
    mean = unname(block$mean[used, , drop = FALSE])
  )
}

# what moments() keep: levels x d and levels x c means
kept_levels <- function(raw, Y = NULL) {
  block <- raw$block
  if (is.null(block)) {
    return(NULL)
  }
  name <- function(mean, names) structure(mean, dimnames = list(block$levels, names))
  out <- list(
    levels = block$levels, size = block$size, mean = name(block$mean, raw$names), fine = block$fine
  )
  if (!is.null(Y)) {
    means <- level_means(Y, block)
    out[c("y_mean", "y_fine")] <- list(name(means$mean, colnames(Y)), unname(means$fine))
  }
  out
}

# of the samples in moments, and the levels that have any
moments_degrees <- function(x) {
  x$n - if (is.null(x$block)) 1 else sum(x$block$size > 0)
}

# Pooled scatters add up, and the means of each level merge: each pair of blocks of rows
# with n1 and n2 samples of a level adds n1 n2 / (n1 + n2) times the product of the gaps.
merge_levels <- function(a, b) {
  n <- a$size + b$size
  share <- ifelse(n > 0, b$size / n, 0)
  weight <- sqrt(a$size * share)
  merged <- a
  merged$size <- n
  merged[c("mean", "fine")] <- pool_means(a, b, share)
  gaps <- list(x = gap_of_means(a, b) * weight)
  if (!is.null(a$y_mean)) {
    a <- response_means(a)
    b <- response_means(b)
    merged[c("y_mean", "y_fine")] <- pool_means(a, b, share)
    gaps$y <- gap_of_means(a, b) * weight
  }
  c(list(block = merged), gaps)
}

# the sizes of the parts that the C code reads
has_sound_block <- function(x, d) {
  block <- x$block
  if (is.null(block) || !is.list(block)) {
    return(is.null(block))
  }
  L <- length(block$levels)
  columns <- c(mean = d, fine = d, y_mean = length(x$y_mean), y_fine = length(x$y_mean))
  fits <- vapply(names(columns), function(part) {
    is.null(block[[part]]) || is_finite_matrix(block[[part]], L, columns[[part]])
  }, NA)
  is.character(block$levels) && L > 0L && is_finite_sized(block$size, L) && all(fits) &&
    sum(block$size) == x$n && !is.null(block$mean) && is.null(x$Sxy) == is.null(block$y_mean)
}

# ---- fits and new samples -----------------------------------------------------------

# what a fit keeps of its block
fit_block <- function(data) {
  if (!is.null(data$design)) {
    own <- list(variables = data$design$labels, rank = ncol(data$design$Q))
    own$column <- data$design$column
    return(own)
  }
  if (!is.null(data$block)) {
    mean <- t(per_feature(t(data$block$mean), data))
    rownames(mean) <- data$block$levels
    own <- list(levels = data$block$levels, size = data$block$size, mean = mean)
    own$column <- data$block$column
    own
  }
}

# the levels of new samples as the fit numbers them; NULL: the overall means serve
new_levels <- function(object, block, n) {
  if (is.null(block)) {
    return(NULL)
  }
  known <- object[["block"]][["levels"]]
  if (is.null(known)) {
    stop_rowsparse("argument", "block", "is for fits that were given a factor", describe(block),
      "Leave it out: the overall means are taken off"
    )
  }
  block <- used_levels(block, n, "block")
  level <- match(as.character(block), known)
  if (anyNA(level)) {
    stop_rowsparse("block", "block", "must have levels that the fit knows",
      paste("the level", quoted(as.character(block)[is.na(level)][1])),
      "Without `block` the overall means are taken off"
    )
  }
  level
}

check_no_block <- function(block) {
  if (!is.null(block)) {
    stop_rowsparse("argument", "block",
      "is for components and responses, not for type = \"features\"", describe(block)
    )
  }
}
