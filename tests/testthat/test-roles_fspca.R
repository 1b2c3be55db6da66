# Roles of features for fspca(), held against all sets.

fspca_eps <- c(0, 0.001, 0.01, 0.05, 0.2)

# a problem with copies, near-copies, a low rank or features that are locked in now and then
random_fspca_roles <- function() {
  d <- sample(6:12, 1)
  n <- sample(c(4, 8, 20), 1)
  x <- matrix(stats::rnorm(n * d), n) %*% diag(stats::runif(d, 0.3, 1.5))
  if (stats::runif(1) < 0.3) x[, d] <- x[, 1] * sample(c(1, -1), 1)
  if (stats::runif(1) < 0.3) x[, d - 1] <- x[, 2] + 1e-3 * stats::rnorm(n)
  k <- sample(min(6, d - 1), 1)
  m <- sample(min(3, k, qr(centred(x))$rank), 1)
  check_fspca_roles(x, k, m, if (k > 1 && stats::runif(1) < 0.3) sample(d, 1))
}

fspca_roles_of <- function(x, k, m, include = NULL, tolerance = fspca_eps, seconds = 5,
                           set = NULL) {
  data <- rowsparse:::as_data(x, include = include)
  locked <- as.integer(data$locked)
  if (is.null(set)) set <- c(locked, setdiff(seq_len(ncol(x)), locked))[seq_len(k)]
  operator <- rowsparse:::as_operator(data, m)
  problem <- list(
    data = data, m = m, operator = operator, leading = rowsparse:::leading_eigenvectors(operator, m)
  )
  found <- rowsparse:::fspca_roles(problem, as.integer(set), tolerance, 4L, function() seconds)
  # of data with copies the columns have another order inside
  c(found, list(columns = rowsparse:::outer_index(seq_len(ncol(x)), data), locked = locked))
}

check_fspca_roles <- function(x, k, m, include = NULL, decided = TRUE, ...) {
  found <- fspca_roles_of(x, k, m, include, ...)
  S <- scatter(x[, found$columns])
  sets <- all_sets(seq_len(ncol(x)), k, found$locked)
  values <- apply(sets, 2, function(set) sum(eigen(S[set, set], TRUE, TRUE)$values[seq_len(m)]))
  expect_roles(found, true_roles(sets, values, ncol(x), setdiff(seq_len(ncol(x)), found$locked)),
    fspca_eps, decided = decided, exact = FALSE
  )
  found
}

test_that("roles, prices, witnesses and counts are those of enumeration", {
  set.seed(1)
  for (i in 1:5) random_fspca_roles()
})

core_ends_here()

test_that("with m = k the order of the variances tells all, and copies and low ranks are no trap", {
  set.seed(5)
  x <- matrix(rnorm(30 * 9), 30) %*% diag(runif(9, 0.5, 1.5))
  found <- check_fspca_roles(x, 3, 3)
  expect_setequal(found$columns[found$best], order(-colSums(centred(x)^2))[1:3])
  check_fspca_roles(cbind(x, -x[, 2]), 4, 2, include = 3L)
  check_fspca_roles(matrix(rnorm(40), 20) %*% matrix(rnorm(16), 2), 4, 2)
})

test_that("where not all rows have room, questions have certificates of their own", {
  set.seed(14)
  asked <- 0
  sizes <- function(operator, k) list(core = 5L, most = 7L, few = 7L, nodes = 1e6)
  for (i in 1:5) {
    x <- matrix(rnorm(25 * 12), 25) %*% diag(runif(12, 0.7, 1.2))
    found <- instead_of("certificate_sizes", sizes,
      check_fspca_roles(x, 4, 1 + i %% 2, if (i %% 3 == 0) 4L, decided = FALSE)
    )
    asked <- asked + found$questions
  }
  expect_gt(asked, 0)
})

test_that("roles do not depend on the order of columns, on units, or on the set to begin with", {
  set.seed(7)
  x <- matrix(rnorm(25 * 11), 25) %*% diag(runif(11, 0.5, 1.5))
  roles <- function(found) {
    cut <- 0.98 * found$value - found$slack
    ifelse(found$high < cut, "no", ifelse(found$low >= cut, "some", "open"))
  }
  plain <- fspca_roles_of(x, 5, 2, tolerance = 0.02)
  order <- sample(11)
  turned <- fspca_roles_of(x[, order] * 1e-60, 5, 2, tolerance = 0.02)
  expect_setequal(order[turned$best], plain$best)
  expect_identical(roles(turned), roles(plain)[order])
  expect_identical(roles(fspca_roles_of(x, 5, 2, tolerance = 0.02, set = 7:11)), roles(plain))
  expect_equal(turned$count, plain$count)
  expect_equal(turned$value * 1e120, plain$value)
})

test_that("what is said without time is true", {
  set.seed(9)
  x <- matrix(rnorm(20 * 10), 20) %*% diag(runif(10, 0.5, 1.5))
  for (k in 2:5) check_fspca_roles(x, k, 2, decided = FALSE, seconds = 0)
})
