# The factor `block`: data are centred within its levels, and every sum of squares has
# n - levels degrees of freedom. A block is a list, data$block:
#   code     level of each sample, from 1 (NULL in moments)
#   levels   their names; size: samples of each
#   mean     levels x d: the means of the features in each

# NULL, or code, levels and size of a factor (or vector) that was given
as_block <- function(block, n, argument = "block") {
  if (is.null(block)) {
    return(NULL)
  }
  block <- used_levels(block, n, argument)
  size <- tabulate(block, nlevels(block))
  if (nlevels(block) < 2L) {
    stop_rowsparse("block", argument, "must have at least two levels",
      paste("one level,", quoted(levels(block))), "Leave it out: all samples are of one kind"
    )
  }
  if (any(size < 2)) {
    alone <- levels(block)[size < 2]
    stop_rowsparse("block", argument, "must have at least two samples of each level",
      paste0("one of level ", quoted(alone[1]),
        if (length(alone) > 1L) sprintf(", and of %d others", length(alone) - 1L)
      ),
      "A sample alone in its level is zero once its mean is off: leave it out, or merge levels"
    )
  }
  list(code = as.integer(block), levels = levels(block), size = as.double(size))
}

# a factor of n samples without missing values; levels without samples are dropped
used_levels <- function(block, n, argument) {
  droplevels(all_levels(block, n, argument))
}

all_levels <- function(block, n, argument = "block") {
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
  raw$block <- as_block(block, raw$n)
  if (!is.null(raw$block)) {
    check_memory(32 * as.double(length(raw$block$levels)) * raw$d, argument,
      "use a block with fewer levels"
    )
  }
  raw
}

level_count <- function(data) if (is.null(data$block)) 1L else length(data$block$levels)

# of the sums of squares of centred data: n - 1, or n - levels of the block
degrees_of_freedom <- function(data) data$n - level_count(data)

# what the C code wants to know of the rows from `from` on, n of them
row_groups <- function(raw, from = 0L, n = raw$n) {
  block <- raw$block
  if (is.null(block)) {
    return(NULL)
  }
  code <- if (n == raw$n) block$code else block$code[from + seq_len(n)]
  size <- as.double(tabulate(code, length(block$levels)))
  list(code = code, size = size, degrees = as.double(max(1, n - sum(size > 0))), row = raw$i)
}

# the largest magnitude that was taken off each feature
level_magnitude <- function(raw) {
  if (is.null(raw$block$mean)) {
    return(abs(raw$mean))
  }
  Reduce(pmax, lapply(seq_along(raw$block$levels), function(l) abs(raw$block$mean[l, ])))
}

# Rows less the means of their levels, times -1 where `sign` says so; n x columns.
# `mean`: d, or levels x d
centre_rows <- function(values, data, columns = seq_len(data$d)) {
  values - mean_rows(data, columns)
}

# n x columns: what is taken off
mean_rows <- function(data, columns = seq_len(data$d)) {
  if (is.null(data$block)) {
    return(rep(data$mean[columns], each = data$n))
  }
  data$block$mean[data$block$code, columns, drop = FALSE]
}

# the response, centred as the data are: means of its columns, over all samples or
# (levels x c) within the levels of a block
level_means <- function(Y, block) {
  sums <- rowsum(Y, block$code, reorder = TRUE)
  unname(sums / block$size)
}

centre_within <- function(Y, block) {
  if (is.null(block)) {
    return(sweep(Y, 2, colMeans(Y)))
  }
  Y - level_means(Y, block)[block$code, , drop = FALSE]
}
