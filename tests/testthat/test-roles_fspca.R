expect_roles_of_enumeration <- function(problems) {
  found <- certify_fspca_roles(problems)
  expect_equal(found[c("wrong", "counts", "open")], c(wrong = 0, counts = 0, open = 0))
}

test_that("roles, prices and counts are those of the enumeration", {
  set.seed(1)
  expect_roles_of_enumeration(if (is_slow()) 600 else 20)
})

core_ends_here()

test_that("witnesses are sets that answer the question and have the value stated", {
  set.seed(3)
  x <- matrix(rnorm(30 * 10), 30) %*% diag(runif(10, 0.5, 1.5))
  found <- fspca_roles_of(x, 4, 2, 0.2, include = 3L)
  S <- scatter(x)
  for (i in which(is.finite(found$low))) {
    set <- found$witness[[i]]
    expect_length(unique(set), 4)
    expect_true(3 %in% set)
    expect_equal(i %in% set, !i %in% found$best)
    value <- sum(eigen(S[set, set], TRUE, TRUE)$values[1:2])
    expect_gte(value, found$low[i] * (1 - 1e-12))
  }
  expect_identical(found$low[3], -Inf)
  expect_identical(found$high[3], -Inf)
})

test_that("exchanges are lower bounds, exact where all sets carry their variances", {
  set.seed(4)
  x <- matrix(rnorm(30 * 9), 30) %*% diag(runif(9, 0.5, 1.5))
  S <- scatter(x)
  for (m in c(1, 3)) {
    found <- fspca_roles_of(x, 3, m, 0.01)
    columns <- found$columns
    for (a in 1:3) {
      for (j in setdiff(columns, found$best)) {
        set <- replace(found$best, a, j)
        value <- sum(eigen(S[set, set], TRUE, TRUE)$values[seq_len(m)])
        said <- found$exchanges[a, match(j, columns)]
        if (m == 3) expect_equal(said, value) else expect_lte(said, value * (1 + 1e-12))
      }
    }
  }
})

test_that("with m = k the order of the variances tells all", {
  set.seed(5)
  x <- matrix(rnorm(30 * 9), 30) %*% diag(runif(9, 0.5, 1.5))
  found <- fspca_roles_of(x, 3, 3, c(0.01, 0.3), sets = 2L)
  all <- allowed_sets(x, 3, 3)
  answer <- answers_of(all, found$best, 9)
  expect_equal(found$low, answer)
  expect_equal(found$high, answer)
  expect_setequal(found$best, order(-colSums(centred(x)^2))[1:3])
  expect_false(wrong_counts(found, all, c(0.01, 0.3)))
})

test_that("features that are locked in or out, and scales, are those of the fit", {
  set.seed(6)
  for (i in 1:8) {
    x <- matrix(rnorm(12 * 9), 12) %*% diag(runif(9, 0.3, 3))
    found <- fspca_roles_of(x, 4, 2, 0.05, c(2L, 5L), 7L, sets = 3L, scale = TRUE)
    all <- allowed_sets(scale(x) / sqrt(11), 4, 2, c(2, 5), 7)
    all$values <- all$values * found$value / max(all$values)
    expect_identical(wrong_roles(found, all, 0.05, c(2, 5))$wrong, character())
    expect_false(wrong_counts(found, all, 0.05))
  }
})

test_that("where not all rows have room, questions have certificates of their own", {
  set.seed(14)
  asked <- open <- before <- 0
  sizes <- function(operator, k) list(core = 5L, most = 7L, few = 7L, nodes = 1e6)
  for (i in 1:12) {
    x <- matrix(rnorm(25 * 12), 25) %*% diag(runif(12, 0.7, 1.2))
    include <- if (i %% 3 == 0) 4L else integer()
    m <- 1 + i %% 2
    ask <- function() {
      instead_of("certificate_sizes", sizes,
        fspca_roles_of(x, 4, m, c(0.02, 0.2), include, exclude = 9L)
      )
    }
    all <- allowed_sets(x, 4, m, include, 9L)
    found <- ask()
    said <- wrong_roles(found, all, c(0.02, 0.2), include)
    expect_identical(said$wrong, character())
    asked <- asked + found$questions
    open <- open + said$open
    plain <- instead_of("ask_alone", function(found, ...) found, ask())
    before <- before + wrong_roles(plain, all, c(0.02, 0.2), include)$open
  }
  expect_gt(asked, 0)
  expect_lt(open, before / 2)
})

test_that("roles do not depend on the order of columns, on units, or on the set to begin with", {
  set.seed(7)
  x <- matrix(rnorm(25 * 11), 25) %*% diag(runif(11, 0.5, 1.5))
  tolerance <- 0.02
  roles <- function(found) {
    cut <- (1 - tolerance) * found$value - found$slack
    ifelse(found$high < cut, "no", ifelse(found$low >= cut, "some", "open"))
  }
  plain <- fspca_roles_of(x, 5, 2, tolerance, sets = 3L)
  order <- sample(11)
  turned <- fspca_roles_of(x[, order] * 1e-60, 5, 2, tolerance, sets = 3L)
  other <- fspca_roles_of(x, 5, 2, tolerance, set = 7:11, sets = 3L)
  expect_setequal(order[turned$best], plain$best)
  expect_identical(roles(turned), roles(plain)[order])
  expect_identical(roles(other), roles(plain))
  expect_equal(turned$count, plain$count)
  expect_equal(turned$value * 1e120, plain$value)
})

test_that("what is decided at several tolerances agrees with what is decided at each", {
  set.seed(8)
  x <- matrix(rnorm(20 * 12), 20) %*% diag(runif(12, 0.5, 1.5))
  tolerance <- c(0.001, 0.01, 0.1)
  together <- fspca_roles_of(x, 5, 2, tolerance, sets = 1L)
  for (t in seq_along(tolerance)) {
    alone <- fspca_roles_of(x, 5, 2, tolerance[t], sets = 1L)
    cut <- (1 - tolerance[t]) * alone$value - alone$slack
    expect_identical(together$low >= cut, alone$low >= cut)
    expect_identical(together$high < cut, alone$high < cut)
    expect_equal(together$count[t], alone$count)
  }
  expect_false(is.unsorted(together$count))
})

test_that("no count is said to be complete where the sets of its tolerance were not met", {
  set.seed(10)
  tolerance <- c(0.001, 0.01, 0.05, 0.3)
  complete <- 0
  for (i in 1:20) {
    x <- matrix(rnorm(30 * 16), 30) %*% diag(runif(16, 0.5, 1.5))
    # the tree has no room for what is left at large tolerances
    found <- roles_in_little_room(x, 4, 2, tolerance, core = 6L, most = 8L)
    all <- allowed_sets(x, 4, 2)
    for (t in seq_along(tolerance)) {
      inside <- sum(all$values >= (1 - tolerance[t]) * found$value - found$slack)
      expect_lte(found$count[t], inside)
      if (found$complete[t]) expect_equal(found$count[t], inside)
    }
    complete <- complete + found$complete
  }
  expect_gt(complete[1], 0)
  expect_lt(complete[4], 20)
})

test_that("counts of several tolerances are those of all 27405 sets", {
  set.seed(11)
  x <- matrix(rnorm(60 * 30), 60) %*% diag(runif(30, 0.5, 1.5))
  x[, 30] <- x[, 1]
  tolerance <- c(0, 0.001, 0.01, 0.05, 0.1)
  all <- allowed_sets(x, 4, 1)
  found <- fspca_roles_of(x, 4, 1, tolerance, sets = 20L, seconds = 60)
  expect_identical(wrong_roles(found, all, tolerance, integer())$wrong, character())
  expect_true(all(found$complete))
  expect_false(wrong_counts(found, all, tolerance))
  expect_equal(found$set_values, sort(all$values, TRUE)[1:20])
})

test_that("what is said without time is true", {
  set.seed(9)
  for (i in 1:10) {
    p <- roles_problem_at_random()
    found <- fspca_roles_of(p$x, p$k, p$m, 0.05, p$include, seconds = 0, sets = 1L)
    all <- allowed_sets(p$x, p$k, p$m, p$include)
    best <- max(all$values)
    answer <- answers_of(all, found$best, ncol(p$x))
    asked <- setdiff(seq_len(ncol(p$x)), p$include)
    expect_gte(found$bound, best * (1 - 1e-12))
    expect_true(all(found$low[asked] <= answer[asked] + 1e-12 * best))
    expect_true(all(found$high[asked] >= answer[asked] - 1e-12 * best))
  }
})
