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

# The block of some samples only, with all levels
rows_of_block <- function(block, rows) {
  if (!is.null(block)) {
    block$code <- block$code[rows]
    block$size <- as.double(tabulate(block$code, length(block$levels)))
    block
  }
}

check_level_sizes <- function(size, levels, argument) {
  refuse_if(length(levels) < 2L, "block", argument, "must have at least two levels",
    paste("one level,", quoted(levels)), "Leave it out: all samples are of one kind")
  alone <- levels[size < 2]
  refuse_if(length(alone) > 0L, "block", argument, "must have at least two samples of each level",
    paste0("one of level ", quoted(alone[1]),
      if (length(alone) > 1L) sprintf(", and of %d others", length(alone) - 1L)
    ),
    "A sample alone in its level is zero once its mean is off: leave it out, or merge levels"
  )
}

# a factor of n samples without missing values; levels without samples are dropped
used_levels <- function(block, n, argument) droplevels(all_levels(block, n, argument))

all_levels <- function(block, n, argument = "block") {
  refuse_variables(block)
  as.factor(check_labels(block, argument, n))
}

# the block of data that were read, or of none
add_block <- function(raw, block, argument) {
  if (raw$kind == "moments") {
    refuse_if(!is.null(block), "block", "block", "must be left out: moments carry their own block",
      describe(block), "Give it to moments()")
    return(raw)
  }
  block <- as_block(block, raw$n)
  if (inherits(block, "rowsparse_design")) {
    return(add_design(raw, block, argument))
  }
  raw$block <- block
  check_memory(32 * as.double(length(block$levels)) * raw$d, argument,
    "use a block with fewer levels")
  raw
}

# Degrees of freedom of centred data: n less 1, the levels of the block or the rank of a design
degrees_of_freedom <- function(data) {
  taken <- if (is.null(data$design)) max(1L, length(data$block$levels)) else ncol(data$design$Q)
  sample_size(data) - taken
}

# what the C code wants to know of the levels
row_groups <- function(raw) {
  block <- raw$block
  if (!is.null(block)) {
    degrees <- as.double(max(1, raw$n - sum(block$size > 0)))
    list(code = block$code, size = block$size, degrees = degrees, row = raw[["i"]])
  }
}

# Columns as a plain matrix, centred and not scaled
centred_columns <- function(data, columns) {
  chosen <- dense_columns(data, columns)
  if (!is.null(data$observed)) { # as they are in sums of squares
    return(chosen)
  }
  one <- list(code = rep(1L, data$n), mean = t(data$mean), fine = t(data$fine))
  less_means(chosen, or_default(data$block, one), columns)
}

# less the means of the levels, in two numbers
less_means <- function(x, block, columns = seq_len(ncol(x))) {
  for (means in block[c("mean", "fine")]) x <- x - means[block$code, columns, drop = FALSE]
  x
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
  less_means(x, c(level_means(x, block), block["code"]))
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
kept_levels <- function(block, names, Y) {
  name <- function(mean, names) structure(mean, dimnames = list(block$levels, names))
  out <- list(
    levels = block$levels, size = block$size, mean = name(block$mean, names), fine = block$fine
  )
  if (!is.null(Y)) {
    means <- level_means(Y, block)
    out[c("y_mean", "y_fine")] <- list(name(means$mean, colnames(Y)), unname(means$fine))
  }
  out
}

# Number of samples in moments, less the levels that have any
moments_degrees <- function(x) moments_count(x) - if (is.null(x$block)) 1 else sum(x$block$size > 0)

# ---- fits and new samples -----------------------------------------------------------

fit_block <- function(data) {
  own <- if (!is.null(data$design)) {
    list(variables = data$design$labels, rank = ncol(data$design$Q))
  } else if (!is.null(data$block)) {
    mean <- t(per_feature(t(data$block$mean), data))
    rownames(mean) <- data$block$levels
    c(data$block[c("levels", "size")], list(mean = mean))
  }
  own$column <- adjustment(data)$column
  own
}

# the levels of new samples as the fit numbers them; 0: the overall means serve
new_levels <- function(object, block, n) {
  if (is.null(block) || n + length(block) == 0L) {
    return(integer(n))
  }
  known <- object[["block"]][["levels"]]
  refuse_if(is.null(known), "argument", "block", "is for fits that were given a factor",
    describe(block), "Leave it out: the overall means are taken off")
  block <- used_levels(block, n, "block")
  lost <- setdiff(levels(block), known)
  if (length(lost) > 0L) {
    told <- sprintf("`block`: the overall means serve for %s, which the fit does not know.",
      few_quoted(lost, 20L))
    say_rowsparse("block", c(told, did_you_mean(lost[1], known)))
  }
  match(as.character(block), known, nomatch = 0L)
}

check_no_block <- function(block) {
  refuse_if(!is.null(block), "argument", "block",
    "is for components and responses, not for type = \"features\"", describe(block))
}
