# Samples as such: what the evaluation of a selection needs of a data set, and
# what moments cannot give.

# Refuse moments for methods that compare samples, which second moments do not hold, and row blocks
# where a method reads the samples too often
check_holds_samples <- function(x, blocks = TRUE) {
  prepared <- inherits(x, "rowsparse_data") && x$kind == "moments"
  refuse_if(!blocks && (prepared || inherits(x, c("rowsparse_moments", "rowsparse_blocks"))),
    "type", "x", "must be a matrix, data frame, sparse matrix or experiment",
    if (inherits(x, "rowsparse_blocks")) "row blocks" else "moments",
    "A likelihood needs the samples, in memory: pass these"
  )
  refuse_if(prepared || inherits(x, "rowsparse_moments"),
    "type", "x", "must hold the samples themselves", "moments",
    "Pass the data, or row_blocks() where they do not fit into memory"
  )
}

# samples and features of any kind of data, NA where they are not known
data_size <- function(x) {
  size <- if (inherits(x, c("rowsparse_moments", "rowsparse_data"))) {
    c(x$n, length(x$mean))
  } else if (is_experiment(x)) {
    rev(dim(x))
  } else {
    dim(x)
  }
  if (length(size) == 2L && is_number(size[1])) size else c(NA_integer_, NA_integer_)
}

sample_count <- function(x) data_size(x)[1]

# The data set of some columns only
keep_columns <- function(samples, columns) {
  if (samples$kind == "dense") {
    samples$x <- samples$x[, columns, drop = FALSE]
    if (!is.null(samples$given)) samples$given <- samples$given[, columns, drop = FALSE]
  } else {
    filled <- diff(samples$p)[columns]
    at <- sequence(filled, from = samples$p[columns] + 1L)
    samples$i <- samples[["i"]][at]
    samples$x <- samples$x[at]
    samples$p <- c(0L, cumsum(filled))
  }
  samples$d <- length(columns)
  samples$names <- samples$names[columns]
  samples
}

# Some columns as a plain matrix, neither centred nor scaled
dense_columns <- function(samples, columns) {
  if (samples$kind == "blocks") {
    return(as.matrix(read_columns(samples, columns)))
  }
  chosen <- keep_columns(samples, columns)
  if (chosen$kind == "dense") chosen$x else unname(as.matrix(sparse_samples(chosen)))
}

# Xc W for prepared data
data_times <- function(data, W) {
  if (!is.null(data$weight)) W <- W * data$weight
  product <- switch(data$kind,
    sparse = as.matrix(sparse_samples(data) %*% W),
    blocks = do.call(rbind, lapply(seq_along(data$start[-1]), function(i) {
      as.matrix(data[["read"]](i) %*% W)
    })),
    data$x %*% W
  )
  if (is.null(data$block)) {
    return(product - rep(drop(crossprod(W, data$mean)), each = data$n))
  }
  product - (data$block$mean %*% W)[data$block$code, , drop = FALSE]
}

# what read_input() gave, as a matrix again
input_matrix <- function(raw) if (raw$kind == "sparse") sparse_samples(raw) else raw$x

# its parts are in order as they came from such a matrix
sparse_samples <- function(raw) {
  new_sparse(raw[["i"]], raw$p, raw$x, c(raw$n, raw$d), list(NULL, raw$names))
}

# of numbers, as compressed columns
sparse_of <- function(x) {
  loadNamespace("Matrix")
  methods::as(methods::as(x, "CsparseMatrix"), "generalMatrix")
}

new_sparse <- function(i, p, x, dim, names) {
  class <- methods::getClass("dgCMatrix", where = asNamespace("Matrix"))
  methods::new(class, i = i, p = p, x = x, Dim = dim, Dimnames = names)
}

# the value of `expr`, without the warning about constant features, which is still to come
without_constant_warning <- function(expr) {
  before <- already_said$sizes
  on.exit(already_said$sizes <- before)
  muffle <- function(w) tryInvokeRestart("muffleWarning")
  withCallingHandlers(expr, rowsparse_warning_constant = muffle, rowsparse_warning_include = muffle)
}
