css_eps <- c(0, 0.001, 0.01, 0.1, 0.3)

css_roles_of <- function(x, k, tolerance = css_eps, m = Inf, include = integer(),
                         exclude = integer(), sets = 100, selected = NULL, seconds = 30,
                         scale = FALSE) {
  data <- sketch_rows_data(in_binary_units(as_data(x, scale)))
  response <- component_response(data, m)
  if (is.null(selected)) {
    selected <- quietly(css(x, k,
      m = m, solver = "forward", scale = scale, include = include, exclude = exclude
    ))$selected
  }
  problem <- list(
    method = "css", inner = lock_inside(data, include, exclude), response = response,
    settings = list(ridge = 0)
  )
  found <- subset_roles(problem, selected, tolerance, sets, function() seconds)
  list(found = found, total = if (is.null(response)) data_trace(data) else response$total)
}

# of sets whose features keep more than `least` of their norm beside the others
reproduced_by_sets <- function(x, k, m, include, exclude, least) {
  X <- centred(x)
  Y <- if (is.finite(m)) X %*% svd(X)$v[, seq_len(m), drop = FALSE] else X
  truth_of_sets(x, X, Y, k, include, exclude, least)
}

check_css_roles <- function(x, k, m = Inf, include = integer(), exclude = integer(),
                            decided = TRUE, input = x, ...) {
  least <- if (ncol(x) <= nrow(x) || !identical(input, x)) 1e-4 else 3e-5
  truth <- reproduced_by_sets(x, k, m, include, exclude, least)
  got <- css_roles_of(input, k, css_eps, m, include, exclude, ...)
  expect_roles(got$found, truth$roles, css_eps, truth$total / got$total, decided = decided)
  got$found
}

css_problem_of <- function(n, d, kind, rank) {
  x <- matrix(stats::rnorm(n * d), n) %*% diag(exp(stats::rnorm(d) / 2)) + stats::rnorm(n)
  if (kind == 1) x[, 2] <- 3 * x[, 1] + 1
  if (kind == 2) x[, 2] <- x[, 1] + 1e-2 * stats::rnorm(n)
  if (kind == 3) x <- matrix(stats::rnorm(n * rank), n) %*% matrix(stats::rnorm(rank * d), rank)
  x
}

random_css_roles <- function() {
  k <- sample(1:5, 1)
  d <- sample((k + 2):11, 1)
  x <- css_problem_of(sample(c(k + 3L, 14L, 40L), 1), d, sample(1:4, 1), k + 1)
  include <- if (k > 1 && stats::runif(1) < 0.25) sample(d, 1) else integer()
  exclude <- if (stats::runif(1) < 0.25) setdiff(sample(d, 1), include) else integer()
  found <- check_css_roles(x, k, sample(c(Inf, 2), 1), include, exclude)
  expect_true(found$proved)
  expect_true(all(found$complete))
}

test_that("roles of column subsets are those of enumeration", {
  set.seed(81)
  for (i in 1:5) random_css_roles()
})

core_ends_here()

test_that("beyond what is proved there are witnesses, and no bound", {
  set.seed(83)
  for (kind in c(1, 4)) {
    x <- css_problem_of(30, 11, kind)
    found <- check_css_roles(x, 6, decided = FALSE)
    expect_false(found$proved)
    expect_true(all(found$high == Inf))
    expect_false(any(found$complete))
    # exchanges and climbs find most of what there is
    truth <- reproduced_by_sets(x, 6, Inf, integer(), integer(), 1e-4)$roles
    answer <- ifelse(seq_len(11) %in% found$best, truth$without, truth$with)
    expect_gt(mean(found$low / found$value > answer / truth$best - 1e-6), 0.7)
  }
})

test_that("a set that is not the best one leads to it, in any order and units", {
  set.seed(85)
  x <- css_problem_of(30, 9, 4)
  found <- check_css_roles(x, 3, selected = 7:9)
  order <- sample(9)
  other <- css_roles_of(x[, order] * 1e50, 3)$found
  expect_setequal(order[other$best], found$best)
  expect_equal(other$count, found$count)
  expect_equal(other$low / other$value, found$low[order] / found$value)
})
