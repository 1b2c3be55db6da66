# A `block` of several factors and numbers, or a formula: the data are replaced by their
# residuals on the columns of the design, plus their means. A design is a list, data$design:
#   Q        n x rank: an orthonormal basis of its columns, the constant among them
#   labels   of the variables; column: names in the colData of an experiment, or the formula

# ---- what was given --------------------------------------------------------------------

# Several variables as a data frame of factors and numbers, one factor as it is; others
# unchanged. `table`: the colData of an experiment, or NULL
block_variables <- function(block, table = NULL) {
  own <- attr(block, "column", exact = TRUE)
  if (inherits(block, "formula")) {
    own <- if (all(all.vars(block) %in% names(table))) plain_name(block)
    block <- variables_of_formula(block, table)
  } else if (is.character(block) && length(block) > 1L && all(block %in% names(table))) {
    own <- block
    block <- as.list(table[block])
  }
  if (is.list(block) || inherits(block, "DataFrame")) {
    block <- as_variables(as.list(block))
    if (!is.null(own)) attr(block, "column") <- own
  }
  block
}

variables_of_formula <- function(formula, table) {
  if (length(formula) != 2L) {
    stop_rowsparse("block", "block", "must be a formula without a left side, such as ~ batch",
      describe_formula(formula)
    )
  }
  data <- if (!is.null(table)) as.list(table)
  frame <- tryCatch(
    stats::model.frame(formula, data, na.action = stats::na.pass),
    error = function(e) {
      stop_rowsparse("block", "block",
        if (is.null(table)) {
          "must be a formula of variables that there are"
        } else {
          "must be a formula of columns of colData(x), or of other variables that there are"
        },
        paste0(describe_formula(formula), ": ", conditionMessage(e)),
        "For plain data a data frame of the variables serves as well"
      )
    }
  )
  terms <- attr(frame, "terms")
  if (!is.null(attr(terms, "offset"))) {
    stop_rowsparse("block", "block", "must not hold an offset", describe_formula(formula))
  }
  labels <- attr(terms, "term.labels")
  crossed <- which(attr(terms, "order") > 1L)
  variables <- as.list(frame)
  for (term in crossed) {
    parts <- variables[attr(terms, "factors")[, term] > 0]
    if (any(vapply(parts, is.numeric, NA))) {
      stop_rowsparse("block", "block", "must have interactions of factors only", labels[term],
        "Give the product of the two as a variable of its own, I(a * b)"
      )
    }
    variables[[labels[term]]] <- interaction(lapply(parts, as.factor), drop = TRUE)
  }
  variables
}

# ~ batch is the column "batch"
plain_name <- function(formula) {
  if (length(formula) == 2L && is.name(formula[[2]])) as.character(formula[[2]]) else formula
}

describe_formula <- function(formula) paste(deparse(formula), collapse = " ")

# a list of factors, vectors and matrices of numbers
as_variables <- function(variables) {
  if (length(variables) == 0L) {
    stop_rowsparse("block", "block", "must have at least one variable", "none")
  }
  if (is.null(names(variables))) names(variables) <- paste0("V", seq_along(variables))
  plain <- lapply(stats::setNames(nm = names(variables)), function(name) {
    value <- variables[[name]]
    if (inherits(value, "Rle")) value <- rep(value@values, value@lengths)
    numbers <- is.numeric(value) && !is.factor(value)
    if (!is.factor(value) && !(is.atomic(value) && (numbers || is.null(dim(value))))) {
      stop_rowsparse("type", "block", "must hold factors, labels and numbers",
        sprintf("%s as %s", describe(value), quoted(name))
      )
    }
    if (numbers) unclass(value) else as.factor(value)
  })
  sizes <- vapply(plain, NROW, 1L)
  if (any(sizes != sizes[1])) {
    stop_rowsparse("length", "block", "must have variables of one length",
      toString(unique(sizes))
    )
  }
  if (length(plain) == 1L && is.factor(plain[[1]])) {
    return(plain[[1]])
  }
  structure(plain, class = "data.frame", row.names = seq_len(sizes[1]))
}

is_variables <- function(block) is.data.frame(block)

# who works level by level takes one factor
refuse_variables <- function(block, what = "here") {
  if (is_variables(block) || inherits(block, "formula")) {
    stop_rowsparse("block", "block", paste("must be one factor", what),
      "several variables, or numbers",
      "interaction() makes one factor of several; or pass residuals as the data"
    )
  }
}

# ---- the design ------------------------------------------------------------------------

# of checked variables; one of the factors, where all others are functions of its levels
as_design <- function(variables, n) {
  column <- attr(variables, "column", exact = TRUE)
  if (nrow(variables) != n) {
    stop_rowsparse("length", "block", sprintf("must have one row per sample (%.0f)", n),
      format(nrow(variables))
    )
  }
  for (name in names(variables)) check_variable(variables[[name]], name)
  Q <- basis_of_design(variables)
  rank <- ncol(Q)
  if (rank < 2L) {
    stop_rowsparse("block", "block", "must have a variable that varies",
      paste("none among", toString(names(variables)))
    )
  }
  for (variable in variables) {
    if (is.factor(variable) && nlevels(droplevels(variable)) == rank) {
      return(structure(droplevels(variable), column = column))
    }
  }
  check_leverages(rowSums(Q^2), rank, n)
  structure(list(Q = Q, labels = names(variables), column = column), class = "rowsparse_design")
}

check_variable <- function(value, name) {
  bad <- which(if (is.factor(value)) is.na(value) else rowSums(!is.finite(cbind(value))) > 0)
  if (length(bad) > 0L) {
    stop_rowsparse("nonfinite", "block", "must not hold NA or infinite values",
      sprintf("%d of them in %s, the first at %d", length(bad), quoted(name), bad[1]),
      "Leave out the samples, or give those of unknown level a level of their own"
    )
  }
}

# the constant, the indicators of factors and the numbers, in units of their deviations
basis_of_design <- function(variables) {
  columns <- lapply(unname(variables), function(value) {
    if (is.factor(value)) {
      value <- droplevels(value)
      return(outer(as.integer(value), seq_len(nlevels(value))[-1], "==") + 0)
    }
    value <- cbind(value)
    storage.mode(value) <- "double"
    spread <- apply(abs(value), 2, max)
    value <- sweep(value, 2, ifelse(spread > 0, spread, 1), "/")
    rest <- centre_columns(value)$values
    size <- sqrt(colMeans(rest^2))
    sweep(rest[, size > 1e-12, drop = FALSE], 2, size[size > 1e-12], "/")
  })
  decomposed <- qr(do.call(cbind, c(list(rep(1, nrow(variables))), columns)), tol = 1e-7)
  qr.Q(decomposed)[, seq_len(decomposed$rank), drop = FALSE]
}

check_leverages <- function(leverage, rank, n) {
  alone <- which(leverage > 1 - 1e-9)
  if (rank >= n || length(alone) > 0L) {
    stop_rowsparse("block", "block", "must leave something of every sample",
      sprintf("%d variables for %d samples, and sample %d reproduced by them", rank, n, alone[1]),
      "Leave out the sample, merge levels, or give fewer variables"
    )
  }
}

# ---- residuals -------------------------------------------------------------------------

# The response of a fit less its residuals on the design
response_on_design <- function(response, design) {
  Y <- as_response(response$y, nrow(design$Q), told = TRUE)$Y
  Y - without_design(Y, design)
}

# The residuals of a plain matrix on the design. What rounding leaves of columns that the design
# reproduces is zero; taken twice, as the first residuals of large columns are rounded.
without_design <- function(x, design, size = apply(abs(x), 2, max)) {
  rest <- x - design$Q %*% crossprod(design$Q, x)
  rest <- rest - design$Q %*% crossprod(design$Q, rest)
  lost <- sqrt(colMeans(rest^2)) <= 64 * .Machine$double.eps * size
  rest[, lost] <- 0
  rest
}

# Data that were read as residuals plus means: in memory, or, where dense numbers take more than
# a quarter of it, in blocks of rows that are made whenever they are read
add_design <- function(raw, design, argument) {
  raw$design <- design
  if (raw$kind == "sparse") {
    raw <- if (8 * as.double(raw$n) * raw$d <= passes_memory()) {
      opened_columns(raw)
    } else {
      sparse_in_pieces(raw, argument)
    }
  }
  if (raw$kind == "dense") {
    check_memory(24 * as.double(raw$n) * raw$d, argument, "give a block of one factor")
    raw$x <- adjusted_by_design(raw$x, design)
    return(raw)
  }
  adjusted_blocks(raw, design)
}

adjusted_by_design <- function(x, design) {
  storage.mode(x) <- "double"
  mean <- colMeans(x)
  centred <- sweep(x, 2, mean)
  bad <- !is.finite(mean) # told by the statistics
  if (any(bad)) {
    return(x)
  }
  rest <- without_design(centred, design, apply(abs(x), 2, max))
  sweep(rest, 2, mean, "+")
}

opened_columns <- function(raw) {
  x <- matrix(0, raw$n, raw$d)
  x[cbind(raw[["i"]] + 1L, rep.int(seq_len(raw$d), diff(raw$p)))] <- raw$x
  raw$kind <- "dense"
  raw["i"] <- raw["p"] <- list(NULL)
  raw$x <- x
  raw
}

sparse_in_pieces <- function(raw, argument) {
  x <- Matrix::sparseMatrix(i = raw[["i"]], p = raw$p, x = raw$x, dims = c(raw$n, raw$d),
    index1 = FALSE
  )
  blocks <- blocks_input(row_blocks(x, megabytes = 16), argument)
  kept <- setdiff(names(raw), c("i", "p", "x", "kind", "names"))
  c(raw[kept], blocks[setdiff(names(blocks), kept)], list(names = raw$names))
}

# One pass finds the means, the products with the design and how large the numbers are
adjusted_blocks <- function(raw, design) {
  read <- raw[["read"]]
  rows_of_block <- function(number) seq.int(raw$start[number] + 1L, raw$start[number + 1L])
  blocks <- seq_len(length(raw$start) - 1L)
  first <- NULL
  products <- 0
  sums <- largest <- squares <- numeric(raw$d)
  for (number in blocks) {
    x <- as.matrix(read(number))
    if (is.null(first)) first <- colMeans(x)
    largest <- pmax(largest, apply(abs(x), 2, max))
    x <- sweep(x, 2, first)
    sums <- sums + colSums(x)
    squares <- squares + colSums(x^2)
    products <- products + crossprod(design$Q[rows_of_block(number), , drop = FALSE], x)
  }
  rest <- squares - colSums(products^2)
  # what is below the rounding of both sums is nothing
  lost <- rest <= 64 * .Machine$double.eps * squares |
    sqrt(pmax(rest, 0) / raw$n) <= 64 * .Machine$double.eps * largest
  mean <- first + sums / raw$n
  raw$read <- function(number) {
    x <- sweep(as.matrix(read(number)), 2, first)
    x <- x - design$Q[rows_of_block(number), , drop = FALSE] %*% products
    x[, lost] <- 0
    dimnames(x) <- NULL
    sweep(x, 2, mean, "+")
  }
  raw$sparse <- FALSE
  raw$density <- 1
  raw
}

# what is taken off a response beside these data
adjustment <- function(data) or_default(data$block, data$design)

# what a fit keeps of its design
design_of_fit <- function(design) {
  c(
    list(variables = design$labels, rank = ncol(design$Q)),
    if (!is.null(design$column)) list(column = design$column)
  )
}

# as many as the columns of a design, for what fits take
levels_of_block <- function(block, n) {
  block <- as_block(block, n)
  if (inherits(block, "rowsparse_design")) character(ncol(block$Q)) else block$levels
}
