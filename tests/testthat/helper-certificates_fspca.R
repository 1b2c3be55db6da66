# The certificate of row-sparse PCA, held against the enumeration of all sets.

fspca_families <- function() c(hostile_families, "nearly equal", "ties", "mixed units")

certificate_matrix <- function(family) {
  d <- sample(4:11, 1)
  x <- switch(family,
    # S nearly a multiple of the identity
    "nearly equal" = {
      basis <- qr.Q(qr(matrix(stats::rnorm(d * d), d)))
      rbind(t(basis %*% diag(sqrt(1 + 10^-sample(3:12, 1) * stats::runif(d)))), 0)
    },
    ties = {
      x <- matrix(stats::rnorm(8 * ceiling(d / 2)), 8)
      cbind(x, -x[, rev(seq_len(ncol(x)))])[, seq_len(d)]
    },
    "mixed units" = matrix(stats::rnorm(10 * d), 10) %*% diag(10^stats::runif(d, -3, 3)),
    hostile_matrix(family, d = d)
  )
  x <- x[, seq_len(min(11, ncol(x))), drop = FALSE] * 10^sample(c(-70, -10, 0, 0, 0, 10, 70), 1)
  if (family %in% c("small units", "large units")) {
    x <- x / max(abs(x)) * 10^sample(c(-145, 145), 1)
  }
  x
}

# the values of all sets of k columns, in the unit of the returned list
values_of_sets <- function(x, k, m) {
  unit <- 2^round(log2(max(abs(centred(x)))))
  S <- scatter(x / unit)
  sets <- utils::combn(ncol(x), k)
  values <- apply(sets, 2, function(set) {
    sum(eigen(S[set, set, drop = FALSE], TRUE, TRUE)$values[seq_len(m)])
  })
  list(sets = sets, values = values, best = max(values), unit = unit)
}

# sizes that make a small problem go through core and extension now and then
random_sizes <- function(k) {
  core <- sample(c(400L, k + 1L, 6L), 1)
  list(
    core = as.integer(max(core, k)), most = as.integer(max(core, k) + sample(0:2, 1) + 1L),
    few = sample(c(0L, 350L), 1), nodes = sample(c(0, 2, 1e4), 1)
  )
}

# the raw certificate, features by their columns in x
raw_certificate <- function(x, k, m, sizes, include = integer(), set = NULL) {
  data <- rowsparse:::as_data(x, include = include)
  operator <- rowsparse:::as_operator(data, m)
  leading <- rowsparse:::leading_eigenvectors(operator, m)
  fit <- rowsparse:::run_fspca(operator, leading, k, "exchange", list(maxit = 100L))
  # now and then from a bad set
  bad <- length(include) == 0 && stats::runif(1) < 0.2
  set <- if (!is.null(set)) {
    rowsparse:::inner_index(set, data)
  } else if (bad) {
    sort(sample(ncol(x), k))
  } else {
    fit$subset
  }
  value <- sum(rowsparse:::polished_basis(operator, data, set, m)$values)
  free <- rowsparse:::free_bounds(operator, leading, k)
  known <- list(
    m = m, value = value, bound = max(value, min(free)), time_limit = 5, verbose = FALSE,
    tie = 1e-9, form = FALSE
  )
  found <- c_call("C_fspca_bound", unclass(operator), set, c(known, sizes))
  columns <- c("set", "essential", "excluded")
  found[columns] <- lapply(found[columns], rowsparse:::outer_index, data)
  found
}

# is anything wrong that the certificate claims?
certificate_is_wrong <- function(found, all) {
  bound <- found$bound / all$unit / all$unit
  value <- found$value / all$unit / all$unit
  tied <- 1 + 3e-9
  above <- all$values > value * tied
  holds <- function(feature) colSums(all$sets == feature) > 0
  wrong_out <- vapply(found$excluded, function(j) any(above & holds(j)), NA)
  wrong_in <- vapply(found$essential, function(j) any(above & !holds(j)), NA)
  bound < all$best * (1 - 1e-12) || bound < value * (1 - 1e-13) ||
    (found$complete && any(above)) || (found$complete && bound > value * tied) ||
    any(wrong_out) || any(wrong_in)
}

certify_fspca_bound <- function(instances) {
  counts <- vapply(fspca_families(), function(family) {
    outcome <- vapply(seq_len(instances), function(i) {
      x <- certificate_matrix(family)
      if (!any(varying_columns(x))) {
        return(c(NA, NA))
      }
      m <- sample(min(3, random_dimension(x)), 1)
      k <- pick(m, ncol(x))
      if (choose(ncol(x), k) > 500) k <- 3
      if (k < m) {
        return(c(NA, NA))
      }
      all <- values_of_sets(x, k, m)
      include <- if (k > 1 && stats::runif(1) < 0.2) sample(ncol(x), 1) else integer()
      if (length(include) > 0) {
        kept <- colSums(all$sets == include) > 0
        all <- list(
          sets = all$sets[, kept, drop = FALSE], values = all$values[kept],
          best = max(all$values[kept]), unit = all$unit
        )
      }
      if (all$best <= 1e-12) {
        return(c(NA, NA))
      }
      found <- suppressWarnings(raw_certificate(x, k, m, random_sizes(k), include))
      c(certificate_is_wrong(found, all), !found$complete)
    }, c(NA, NA))
    c(
      tried = sum(!is.na(outcome[1, ])), wrong = sum(outcome[1, ], na.rm = TRUE),
      none = sum(outcome[2, ], na.rm = TRUE)
    )
  }, c(tried = 0, wrong = 0, none = 0))
  data.frame(family = fspca_families(), tried = counts["tried", ], wrong = counts["wrong", ],
    none = counts["none", ], row.names = NULL
  )
}
