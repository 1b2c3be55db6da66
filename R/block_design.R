# A `block` of several factors and numbers, or a formula: the data are replaced by their
# residuals on the columns of the design, as of residuals(lm()), plus their means. A design is a
# list, data$design:
#   Q        n x rank: an orthonormal basis of its columns, the constant among them
#   labels   of the variables; column: names in the colData of an experiment, or the formula

# Several variables as a data frame of factors and numbers, with the terms of a formula; one factor
# as it is; others unchanged. `table`: the colData of an experiment, or NULL
block_variables <- function(block, table = NULL) {
  own <- attr(block, "column", exact = TRUE)
  if (inherits(block, "formula")) {
    plain <- length(block) == 2L && is.name(block[[2]]) # ~ batch is the column "batch"
    if (all(all.vars(block) %in% names(table))) own <- if (plain) all.vars(block) else block
    block <- frame_of_formula(block, table)
  } else if (is.character(block) && length(block) > 1L && all(block %in% names(table))) {
    own <- block
    block <- table[block]
  }
  if (is.list(block) || inherits(block, "DataFrame")) {
    terms <- attr(block, "terms")
    block <- as_variables(as.list(block))
    if (is.data.frame(block)) attr(block, "terms") <- terms
    if (!is.null(own)) attr(block, "column") <- own
  }
  block
}

frame_of_formula <- function(formula, table) {
  shown <- paste(deparse(formula), collapse = " ")
  frame <- tryCatch(
    stats::model.frame(formula, if (!is.null(table)) as.list(table), na.action = stats::na.pass),
    error = function(e) {
      stop_rowsparse("block", "block",
        "must be a formula of columns of colData(x), or of other variables that there are",
        conditionMessage(e), or_default(
          did_you_mean(setdiff(all.vars(formula), names(table))[1], names(table)),
          "For plain data a data frame of the variables serves as well"
        )
      )
    }
  )
  terms <- attr(frame, "terms")
  refuse_if(attr(terms, "response") > 0L || !is.null(attr(terms, "offset")), "block", "block",
    "must be a formula without a left side and an offset, such as ~ batch", shown)
  frame
}

# a list of factors, vectors and matrices of numbers as a data frame; a factor alone as it is
as_variables <- function(variables) {
  refuse_if(length(variables) == 0L, "block", "block", "must have at least one variable", "none")
  if (is.null(names(variables))) names(variables) <- paste0("V", seq_along(variables))
  variables[] <- lapply(variables, function(value) {
    if (inherits(value, "Rle")) value <- rep(value@values, value@lengths)
    if (is.numeric(value)) {
      return(unclass(value))
    }
    refuse_if(!is.factor(value) && !(is.atomic(value) && is.null(dim(value))),
      "type", "block", "must hold factors, labels and numbers", describe(value))
    as.factor(value)
  })
  sizes <- vapply(variables, NROW, 1L)
  refuse_if(any(sizes != sizes[1]),
    "length", "block", "must have variables of one length", toString(unique(sizes)))
  if (length(variables) == 1L && is.factor(variables[[1]])) {
    return(variables[[1]])
  }
  structure(variables, class = "data.frame", row.names = seq_len(sizes[1]))
}

# who works level by level takes one factor
refuse_variables <- function(block, what = "here") {
  refuse_if(is.data.frame(block) || inherits(block, "formula"), "block", "block",
    paste("must be one factor", what), "several variables, or numbers",
    "interaction() makes one factor of several; or pass residuals as the data"
  )
}

# The design of checked variables; a factor, if all other columns are functions of its levels
as_design <- function(variables, n) {
  check_response_length(variables, n, "block")
  for (name in names(variables)) {
    value <- variables[[name]]
    bad <- which(if (is.factor(value)) is.na(value) else rowSums(!is.finite(cbind(value))) > 0)
    refuse_if(length(bad) > 0L, "nonfinite", "block", "must not hold NA or infinite values",
      sprintf("%d of them in %s, the first at %d", length(bad), quoted(name), bad[1]),
      "Leave out the samples, or give those of unknown level a level of their own"
    )
  }
  Q <- basis_of_design(variables)
  factors <- lapply(Filter(is.factor, variables), droplevels)
  if (length(factors) > 1L) factors <- c(factors, list(interaction(factors, drop = TRUE)))
  # a numeric variable beside them may make the rank that of the levels by chance
  same <- function(E) all(abs(without_design(E, list(Q = Q))) < 1e-6)
  for (one in factors) {
    if (nlevels(one) == ncol(Q) && same(indicators(one))) {
      return(structure(one, column = attr(variables, "column", exact = TRUE)))
    }
  }
  alone <- which(rowSums(Q^2) > 1 - 1e-9)
  refuse_if(ncol(Q) < 2L || length(alone) > 0L, "block", "block",
    "must vary, and leave something of every sample",
    sprintf("a design of rank %d that reproduces %s", ncol(Q), count_of(length(alone), "sample")),
    "Leave out such samples, merge levels, or give fewer variables"
  )
  structure(class = "rowsparse_design", list(
    Q = Q, labels = names(variables), column = attr(variables, "column", exact = TRUE)
  ))
}

# the constant, and the columns of the terms in units of their deviations
basis_of_design <- function(variables) {
  terms <- or_default(attr(variables, "terms"), ~.)
  variables[] <- lapply(variables, function(v) {
    if (is.factor(v)) v <- droplevels(v)
    if (is.factor(v) && nlevels(v) < 2L) numeric(length(v)) else v
  })
  columns <- stats::model.matrix(terms, variables)
  largest <- apply(abs(columns), 2, max)
  columns <- sweep(columns, 2, pmax(largest, 1e-300), "/")
  centred <- centre_columns(columns)$values
  size <- sqrt(colMeans(centred^2))
  own <- size > 1e-12
  scaled <- sweep(centred[, own, drop = FALSE], 2, size[own], "/")
  decomposed <- qr(cbind(rep(1, nrow(variables)), scaled), tol = 1e-7)
  qr.Q(decomposed)[, seq_len(decomposed$rank), drop = FALSE]
}

# ---- residuals -------------------------------------------------------------------------

# The residuals of a plain matrix on the design. What rounding leaves of columns that the design
# reproduces is zero; taken twice, as the first residuals of large columns are rounded.
without_design <- function(x, design, size = apply(abs(x), 2, max)) {
  rest <- x - design$Q %*% crossprod(design$Q, x)
  rest <- rest - design$Q %*% crossprod(design$Q, rest)
  lost <- sqrt(colMeans(rest^2)) <= 64 * .Machine$double.eps * size
  rest[, lost] <- 0
  rest
}

# Data that were read, as residuals plus means: dense, in memory
add_design <- function(raw, design, argument) {
  raw$design <- design
  if (raw$kind == "blocks") {
    refuse_if(!can_be_held(data_sizes(raw)), "memory", argument,
      "must fit into a quarter of the memory with a `block` of several variables",
      "larger row blocks", "Give a block of one factor"
    )
    raw <- held_rows(raw)
  }
  check_memory(24 * as.double(raw$n) * raw$d, argument, "give a block of one factor")
  x <- dense_columns(raw, seq_len(raw$d))
  storage.mode(x) <- "double"
  mean <- colMeans(x)
  if (all(is.finite(mean))) { # others are told by the statistics
    rest <- without_design(sweep(x, 2, mean), design, apply(abs(x), 2, max))
    x <- sweep(rest, 2, mean, "+")
  }
  raw$kind <- "dense"
  raw["i"] <- raw["p"] <- list(NULL)
  raw$x <- unname(x)
  raw
}

# what is taken off a response beside these data
adjustment <- function(data) or_default(data$block, data$design)
