# Data that are hard on rounding, ties and rank, and the ways they come to a method.
# The largest have 20 samples and 12 features, those of the search tree 30 and 16.

one_of <- function(values) values[[sample.int(length(values), 1)]]
between <- function(from, to) from + sample.int(to - from + 1L, 1) - 1L
normal <- function(n, d) matrix(stats::rnorm(n * d), n)
indicators <- function(n, count) {
  outer(sample(rep_len(seq_len(count), n)), seq_len(count), "==") + 0
}

# ---- designs --------------------------------------------------------------------------

designs <- list(
  ordinary = function(n, d) normal(n, d) %*% diag(stats::runif(d, 0.3, 2), d),
  units = function(n, d) normal(n, d) * 10^stats::runif(1, -150, 150),
  "units of columns" = function(n, d) normal(n, d) %*% diag(10^stats::runif(d, -8, 8), d),
  hilbert = function(n, d) {
    x <- outer(seq_len(n), seq_len(d), function(i, j) 1 / (i + j - 1))
    x * 10^one_of(c(-30, 0, 0, 0, 30))
  },
  polynomial = function(n, d) {
    t <- if (stats::runif(1) < 0.5) seq_len(n) / n else sort(stats::runif(n, -1, 1))
    outer(t, seq_len(min(d, 9)), "^")
  },
  kernel = function(n, d) {
    t <- sort(stats::runif(n))
    exp(-outer(t, seq(0, 1, length.out = d), "-")^2 / stats::runif(1, 0.05, 2))
  },
  circulant = function(n, d) {
    first <- if (stats::runif(1) < 0.5) sample(-3:3, d, TRUE) + 0 else stats::rnorm(d)
    x <- t(vapply(seq_len(d) - 1, function(i) first[(seq_len(d) - 1 - i) %% d + 1], first))
    if (stats::runif(1) < 0.3) rbind(x, x) else x
  },
  permutation = function(n, d) {
    x <- diag(d)[sample(d), ]
    for (i in seq_len(one_of(0:2))) x <- rbind(x, one_of(list(1, 2, -1)) * diag(d)[sample(d), ])
    x
  },
  "integers with ties" = function(n, d) {
    x <- matrix(sample(-1:1, n * ceiling(d / 2), TRUE) + 0, n)
    x <- cbind(x, one_of(list(-1, 1, 2)) * x[, rev(seq_len(ncol(x)))])
    x[, seq_len(d)]
  },
  "far from zero" = function(n, d) {
    x <- normal(n, d)
    x + rep(10^stats::runif(d, 6, 12) * sample(c(-1, 1), d, TRUE), each = n)
  },
  "near pairs" = function(n, d) {
    x <- normal(n, d)
    x[, 2] <- x[, 1] + 10^-stats::runif(1, 6, 14) * stats::rnorm(n)
    if (d > 3 && stats::runif(1) < 0.5) {
      x[, 4] <- x[, 3] - x[, 2] + 10^-stats::runif(1, 6, 14) * stats::rnorm(n)
    }
    x
  },
  "outlying rows" = function(n, d) {
    x <- normal(n, d)
    rows <- sample(n, one_of(1:2))
    x[rows, ] <- x[rows, ] * 10^stats::runif(length(rows), 3, 9)
    x
  },
  "few samples" = function(n, d) normal(between(3, d + 1), d),
  "low rank" = function(n, d) {
    rank <- between(1, 3)
    left <- one_of(list(normal(n, rank), matrix(sample(-3:3, n * rank, TRUE), n)))
    left %*% matrix(sample(-2:2, rank * d, TRUE), rank)
  },
  "mostly zeros" = function(n, d) normal(n, d) * matrix(stats::runif(n * d) < 0.25, n),
  "one factor" = function(n, d) {
    share <- one_of(c(0.3, 0.6, 0.9, 0.99, 0.9999))
    sqrt(1 - share) * normal(n, d) + sqrt(share) * stats::rnorm(n)
  },
  chain = function(n, d) {
    rho <- stats::runif(1, 0.5, 0.99)
    autoregressive(n, d, rho)
  },
  "zeros and ones" = function(n, d) {
    x <- matrix(stats::rbinom(n * d, 1, stats::runif(1, 0.1, 0.6)), n) + 0
    x[, 2] <- one_of(list(x[, 1], 1 - x[, 1], x[, 2]))
    x
  },
  copies = function(n, d) {
    x <- normal(n, d)
    x[, d - 0:1] <- x[, 1:2] * rep(c(1, -2), each = n)
    x
  },
  spectra = function(n, d) {
    t <- seq(0, 1, length.out = d)
    peaks <- vapply(1:3, function(i) exp(-(t - stats::runif(1))^2 / 0.1), t)
    normal(n, 3) %*% t(peaks) + 10^-stats::runif(1, 1, 10) * normal(n, d)
  },
  # all levels of one factor or two, and numbers
  dummies = function(n, d) {
    levels <- between(2, min(4, d - 1))
    cbind(indicators(n, levels), indicators(n, 2), normal(n, d))[, seq_len(d)]
  },
  compositions = function(n, d) {
    x <- exp(normal(n, d))
    if (stats::runif(1) < 0.5) x / rowSums(x) else log(x) - rowMeans(log(x))
  },
  fourier = function(n, d) {
    at <- 2 * pi * (seq_len(n) - 1) / n
    waves <- lapply(seq_len(ceiling(d / 2)), function(j) cbind(cos(j * at), sin(j * at)))
    do.call(cbind, waves)[, seq_len(d)]
  },
  hadamard = function(n, d) {
    two <- matrix(c(1, 1, 1, -1), 2)
    kronecker(two, kronecker(two, kronecker(two, one_of(list(two, 1)))))[, 1 + seq_len(min(d, 7))]
  },
  kronecker = function(n, d) {
    a <- matrix(sample(-1:2, 9, TRUE) + 0, 3)
    kronecker(a, one_of(list(matrix(sample(-1:1, 9, TRUE), 3), normal(4, 3))))[, seq_len(min(d, 9))]
  },
  parity = function(n, d) {
    x <- matrix(sample(c(-1, 1), 3 * n, TRUE), n)
    x <- cbind(x, x[, 1] * x, x[, 2] * x[, 3], x[, 1] * x[, 2] * x[, 3], normal(n, 2))
    x[, c(1:3, 5:10)][, seq_len(min(d, 9))]
  },
  ranks = function(n, d) apply(normal(n, d) + 2 * stats::rnorm(n), 2, rank),
  spikes = function(n, d) {
    x <- one_of(c(0, 1e-12, 1e-6)) * normal(n, d)
    for (j in seq_len(d)) x[sample.int(n, one_of(1:2)), j] <- sample(c(-1, 1, 3), 1)
    x
  },
  scales = function(n, d) normal(n, d) %*% diag(10^stats::runif(d, -140, 140)),
  toeplitz = function(n, d) {
    by_lag <- one_of(list(stats::rnorm(n + d), stats::runif(1, 0.3, 0.999)^seq(0, n + d)))
    outer(seq_len(n), seq_len(d), function(i, j) by_lag[abs(i - j) + 1])
  },
  vandermonde = function(n, d) outer(stats::runif(n, -2, 2), seq_len(d) - 1, "^"),
  "noisy blocks" = function(n, d) {
    x <- normal(n, d %/% one_of(2:min(4, d)))
    x <- x[, sort(rep_len(seq_len(ncol(x)), d)), drop = FALSE]
    x + 10^-stats::runif(1, 3, 14) * normal(n, d)
  },
  "heavy tails" = function(n, d) matrix(stats::rt(n * d, one_of(c(0.3, 1, 2))), n),
  "one huge entry" = function(n, d) {
    x <- normal(n, d)
    replace(x, sample.int(n * d, 1), 10^stats::runif(1, 2, 14))
  },
  kahan = function(n, d) {
    angle <- stats::runif(1, 0.3, 1.5)
    x <- diag(sin(angle)^seq(0, d - 1)) %*% (diag(d) - cos(angle) * upper.tri(diag(d)))
    rbind(x, matrix(0, max(n - d, 0), d))
  },
  laplacian = function(n, d) {
    a <- matrix(stats::rbinom(d * d, 1, 0.4), d) * one_of(list(1, stats::runif(d * d)))
    a <- (a + t(a)) * (1 - diag(d))
    diag(rowSums(a)) - a
  },
  "rows of one" = function(n, d) {
    x <- matrix(stats::rexp(n * d), n) * (stats::runif(n * d) < one_of(c(0.4, 1)))
    x[, 1] <- x[, 1] + 1e-3
    x / rowSums(x)
  },
  "one-hot" = function(n, d) {
    do.call(cbind, lapply(rep_len(between(2, 4), d), indicators, n = n))[, seq_len(d)]
  },
  # of another design, square or with fewer samples
  shapes = function(n, d) {
    other <- one_of(setdiff(names(designs), c("shapes", "hadamard", "kronecker", "parity")))
    x <- designs[[other]](one_of(c(d, d, d + 1, max(4, d - 1), 4)), d)
    x[seq_len(min(nrow(x), d + 1)), ]
  }
)

design_names <- names(designs)

# what is claimed, the share of the trials that it gets, and a trial for the name of a design
claim <- function(text, share, trial) {
  list(text = text, families = design_names, share = share, trial = trial)
}

# Samples x features; every column varies.
design <- function(family, n = between(6, 20), d = between(4, 9)) {
  repeat {
    x <- unname(designs[[family]](n, d))
    varied <- apply(x, 2, function(column) max(column) > min(column))
    flat <- which(!varied)
    x[1, flat] <- x[1, flat] + 1
    if (ncol(x) >= 3 && nrow(x) >= 3) return(x)
  }
}

# Mean over deviation at its largest
remoteness <- function(x) max(abs(colMeans(x / max(abs(x)))) / apply(x / max(abs(x)), 2, stats::sd))

# ---- responses --------------------------------------------------------------------------

response_for <- function(x) {
  n <- nrow(x)
  # a feature without its mean, in units of its largest value
  column <- function() {
    z <- x[, sample.int(ncol(x), 1)] / max(abs(x))
    z <- z - mean(z)
    z / max(abs(z), 1e-300)
  }
  one_of(list(
    function() stats::rnorm(n) * 10^one_of(c(0, 0, -100, 100)),
    function() column() - one_of(1:3) * column() + one_of(c(0, 0, 1e-8, 0.1)) * stats::rnorm(n),
    function() {
      pair <- (x[, 2] - x[, 1]) / max(abs(x))
      pair / max(abs(pair), 1e-300) + one_of(c(0, 0.01, 0.3)) * stats::rnorm(n)
    },
    function() cbind(stats::rnorm(n), column() + 0.3 * stats::rnorm(n)),
    function() factor(rep_len(sample(c("a", "b", "c")), n)),
    function() as.double(sample(0:2, n, TRUE))
  ))()
}

response_columns <- function(y) {
  Y <- if (is.factor(y)) outer(as.integer(y), seq_len(nlevels(y)), "==") + 0 else as.matrix(y)
  storage.mode(Y) <- "double"
  unname(Y)
}

varied_response <- function(x) {
  repeat {
    y <- response_for(x)
    spread <- apply(response_columns(y), 2, function(column) diff(range(column)))
    if (all(spread > 1e-6 * apply(abs(response_columns(y)), 2, max))) return(y)
  }
}

# ---- ways to come -------------------------------------------------------------------------

# never by as(): that finds small numbers symmetric, to an absolute tolerance
as_columns <- function(x) {
  at <- which(x != 0, arr.ind = TRUE)
  Matrix::sparseMatrix(i = at[, 1], j = at[, 2], x = x[at], dims = dim(x), dimnames = dimnames(x))
}

# sizes of blocks of n rows
uneven <- function(n) {
  cuts <- sort(sample.int(n - 1, between(1, min(4, n - 1))))
  diff(c(0L, cuts, n))
}

pieces <- function(x, sizes) {
  ends <- cumsum(sizes)
  row_blocks(function(i) x[seq(ends[i] - sizes[i] + 1L, ends[i]), , drop = FALSE], rows = sizes)
}

# of parts, down to single rows, in any order
in_parts <- function(x, y) {
  n <- nrow(x)
  part <- function(rows) {
    own <- if (is.matrix(y)) y[rows, , drop = FALSE] else y[rows]
    moments(x[rows, , drop = FALSE], own)
  }
  rows <- split(seq_len(n), rep_len(seq_len(one_of(c(2, 2, 3, n))), n)[sample(n)])
  Reduce(`+`, lapply(rows, part))
}

block_forms <- list(
  "rows one by one" = function(x, y) row_blocks(x, rows = 1),
  "uneven blocks" = function(x, y) pieces(x, uneven(nrow(x))),
  "sparse blocks" = function(x, y) pieces(as_columns(x), uneven(nrow(x)))
)
sample_forms <- c(
  list(dense = function(x, y) x, sparse = function(x, y) as_columns(x)), block_forms
)
moment_forms <- list(
  moments = function(x, y) moments(x, y),
  "moments of sparse" = function(x, y) moments(as_columns(x), y),
  "moments of blocks" = function(x, y) moments(pieces(x, uneven(nrow(x))), y),
  "moments added" = in_parts
)
all_forms <- c(sample_forms, moment_forms)

is_moments <- function(form) grepl("^moments", form)

# What a method gets: arguments, and what the oracle takes in its place
arrive <- function(x, y = NULL, forms = names(all_forms)) {
  form <- one_of(forms)
  list(form = form, data = all_forms[[form]](x, y), y = if (!is_moments(form)) y)
}

# weighted samples come dense, sparse or as moments, which hold the weights
arrive_weighted <- function(x, y, w) {
  a <- arrive(x, y, c("dense", "sparse"))
  a$weights <- w
  if (stats::runif(1) < 1 / 3) a <- list(form = "moments", data = moments(x, y, weights = w))
  a
}

# How far S may be off by the accuracy that ?moments states, of sqrt(S_ii S_jj): the mean is
# rounded, and where parts are merged so is the difference of their means
data_error <- function(form, x) {
  if (form == "dense") return(0)
  merged <- form %in% c("moments of blocks", "moments added")
  far <- 2.3e-16 * remoteness(x)
  1e-14 + far^2 + if (merged) far else 0
}
