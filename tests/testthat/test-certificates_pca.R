# the generators and the oracles are in helper-certificates_pca.R

expect_none_wrong <- function(counts) {
  testthat::expect_gt(sum(counts$tried), 0)
  wrong <- counts[counts$wrong > 0, ]
  testthat::expect_identical(
    paste(wrong$family, wrong$wrong, "of", wrong$tried, recycle0 = TRUE), character()
  )
}

core_ends_here()

test_that("kkt is the residual of the help page, and small where a fit converged", {
  set.seed(301)
  expect_none_wrong(certify_bsufs(instances(15)))
  expect_none_wrong(certify_dscofs(instances(30)))
  expect_none_wrong(certify_spcafs(instances(30)))
  # dropping rows can leave others of lower rank
  expect_none_wrong(certify_spcafs(instances(150), "duplicates"))
})

test_that("fspca's set has the stated objective, and a global one is never beaten", {
  set.seed(302)
  expect_none_wrong(certify_fspca(instances(40)))
})

test_that("kmeans_ufs attains the maximum of the spectral problem", {
  set.seed(303)
  expect_none_wrong(certify_kmeans(instances(25)))
})

test_that("proximal points are minimisers over the whole double range", {
  set.seed(304)
  expect_none_wrong(certify_prox(500))
})

test_that("thousands of instances", {
  skip_slow()
  set.seed(305)
  expect_none_wrong(certify_bsufs(300))
  expect_none_wrong(certify_dscofs(400))
  expect_none_wrong(certify_spcafs(400))
  expect_none_wrong(certify_fspca(100))
  expect_none_wrong(certify_kmeans(200))
  expect_none_wrong(certify_prox(20000))
})

# ---- units ----------------------------------------------------------------------

# every method with parameters in the units of the data, `square` = c^2
absolute_fits <- function(x, square = 1, solver = "mm") {
  few <- rowsparse_control(maxit = 300)
  list(
    bsufs = bsufs(x, 2, 20 * square, 3 * square,
      beta1 = 90 * square, beta2 = 90 * square, normalize = FALSE, solver = solver, control = few
    ),
    dscofs = dscofs(x, 6, 2,
      mu1 = 90 * square, mu2 = 70 * square, normalize = FALSE, solver = solver, control = few
    ),
    spcafs = spcafs(x, 2, 40 * square, normalize = FALSE, control = few),
    fspca = fspca(x, 6, 2, "ipu"),
    kmeans_ufs = kmeans_ufs(x, 6, 3, "admm", scale = FALSE, mu = 2 * square),
    alternate = {
      set.seed(1)
      kmeans_ufs(x, 6, 3, "alternate", scale = FALSE, starts = 3)
    }
  )
}

test_that("powers of two in the units change nothing but the units", {
  set.seed(311)
  x <- sample_matrix(40, 25)
  for (solver in c("mm", "rtr", "pencf")) {
    plain <- suppressWarnings(absolute_fits(x, solver = solver))
    for (power in c(-480, -20, 3, 40, 480)) {
      other <- suppressWarnings(absolute_fits(x * 2^power, 4^power, solver))
      for (method in names(plain)) {
        expect_identical(other[[method]]$ranking, plain[[method]]$ranking)
        expect_identical(other[[method]]$iterations, plain[[method]]$iterations)
        expect_equal(other[[method]]$objective / 2^power / 2^power, plain[[method]]$objective,
          tolerance = if (solver == "pencf") 1e-7 else 1e-11
        )
        expect_equal(other[[method]]$kkt, plain[[method]]$kkt, tolerance = 1e-3)
      }
    }
  }
})

test_that("any units give the same iterates up to rounding", {
  set.seed(312)
  x <- sample_matrix(40, 25)
  for (solver in c("mm", "rtr", "pencf")) {
    plain <- suppressWarnings(absolute_fits(x, solver = solver))
    for (unit in c(1e-140, 1e-5, 1e-3, 1e4, 1e140)) {
      other <- suppressWarnings(absolute_fits(x * unit, unit * unit, solver))
      for (method in names(plain)) {
        # steps of "pencf" take up rounding: one more or less at the end
        ends <- lapply(list(other[[method]], plain[[method]]), function(fit) {
          fit$objective[length(fit$objective)]
        })
        expect_equal(ends[[1]] / unit / unit, ends[[2]],
          tolerance = if (solver == "pencf") 1e-5 else 1e-6
        )
        if (solver != "pencf") {
          expect_identical(other[[method]]$iterations, plain[[method]]$iterations)
        }
        expect_identical(other[[method]]$selected, plain[[method]]$selected)
      }
    }
  }
})

# ---- orders ---------------------------------------------------------------------

default_fits <- function(x, k = 3) {
  list(
    bsufs = bsufs(x, 1), dscofs = dscofs(x, k, 1), fspca = fspca(x, k, 1, "ipu"),
    spcafs = spcafs(x, 1), kmeans_ufs = kmeans_ufs(x, k, 2), admm = kmeans_ufs(x, k, 2, "admm")
  )
}

test_that("the order of rows and of columns does not matter, duplicates apart", {
  set.seed(313)
  families <- setdiff(hostile_families, c("binary", "counts"))
  for (family in rep(families, 3)) {
    x <- hostile_matrix(family, 12, 9)
    columns <- sample(ncol(x))
    plain <- suppressWarnings(default_fits(x))
    moved <- suppressWarnings(default_fits(x[sample(nrow(x)), columns]))
    for (method in names(plain)) {
      # the columns themselves, as those of duplicates are exchangeable
      chosen <- function(fit, data) sort(colSums(data[, fit$ranking[1:3]]^2))
      expect_equal(chosen(moved[[method]], x[, columns]), chosen(plain[[method]], x),
        tolerance = 1e-8, info = paste(family, method)
      )
    }
  }
})

test_that("exact ties go to the larger variance, then to the column order", {
  choose <- function(value, second, k) rowsparse:::order_features(value, second)[seq_len(k)]
  noise <- c(1, 1 + 1e-15, 1 - 1e-15, 1)
  expect_identical(choose(noise, c(1, 1, 1, 1), 2), 1:2)
  expect_identical(choose(noise, c(1, 2, 3, 1), 2), c(3L, 2L))
  expect_identical(choose(c(2, noise), c(0, 1, 2, 3, 1), 3), c(1L, 4L, 3L))
})

# ---- what is not a number ----------------------------------------------------------

test_that("values that overflow give a status and never an index", {
  set.seed(314)
  x <- matrix(stats::rnorm(200), 20)
  huge <- list(x * 1e154, x * 1e160, x * 1e200, replace(x, 3, 1e300), x * 1e-160, x * 1e-200)
  calls <- list(
    function(x) bsufs(x, 2), function(x) dscofs(x, 3, 2), function(x) fspca(x, 3, 2),
    function(x) fspca(x, 2, 1, "exact"), function(x) spcafs(x, 2),
    function(x) kmeans_ufs(x, 3, 2, scale = FALSE),
    function(x) kmeans_ufs(x, 3, 2, "admm", scale = FALSE),
    function(x) kmeans_ufs(x, 3, 2, "alternate", scale = FALSE, starts = 3)
  )
  for (data in huge) {
    for (call in calls) {
      fit <- tryCatch(suppressWarnings(call(data)), error = identity)
      if (inherits(fit, "error")) {
        expect_true(nzchar(conditionMessage(fit)))
      } else {
        expect_true(all(is.finite(fit$scores)))
        expect_setequal(fit$ranking, 1:10)
      }
    }
  }
})

test_that("more columns than the rank of the data are not filled with rounding", {
  set.seed(315)
  x <- outer(stats::rnorm(20), c(3, 1, 2, 5, 4))
  for (fit in list(function() bsufs(x, 3), function() dscofs(x, 3, 3), function() spcafs(x, 3))) {
    expect_warning(end <- fit(), class = "rowsparse_warning_rank")
    expect_identical(ncol(end$loadings), 1L)
    expect_identical(end$ranking, c(4L, 5L, 1L, 3L, 2L))
    expect_identical(end$parameters$m, 1L)
  }
})

# ---- defaults -----------------------------------------------------------------------

test_that("defaults find raised features in every kind of data and unit", {
  set.seed(316)
  raised <- sample(300, 15)
  groups <- rep(0:1, each = 30)
  raise <- function(x, by) replace(x, cbind(rep(31:60, 15), rep(raised, each = 30)), by)
  noise <- matrix(stats::rnorm(60 * 300), 60)
  shifted <- noise + 2.5 * outer(groups, seq_len(300) %in% raised)
  kinds <- list(
    normal = shifted, small = shifted * 1e-145, large = shifted * 1e145,
    counts = raise(matrix(stats::rpois(60 * 300, 2), 60) + 0, stats::rpois(450, 7)),
    binary = raise(matrix(stats::rbinom(60 * 300, 1, 0.2), 60) + 0, stats::rbinom(450, 1, 0.9))
  )
  for (kind in names(kinds)) {
    x <- kinds[[kind]]
    fits <- list(
      bsufs = bsufs(x, 1), dscofs = dscofs(x, 10, 1), go = fspca(x, 10, 1),
      ipu = fspca(x, 10, 1, "ipu"), spcafs = spcafs(x, 1), exact = kmeans_ufs(x, 10, 2),
      admm = kmeans_ufs(x, 10, 2, "admm")
    )
    for (method in names(fits)) {
      fit <- fits[[method]]
      # by chance 0.5 of the first ten
      expect_gte(sum(fit$ranking[1:10] %in% raised), 5, label = paste(kind, method))
      expect_true(all(is.finite(fit$scores)))
      expect_true(fit$converged)
    }
  }
})

test_that("one or two features and two or three samples are enough", {
  set.seed(317)
  for (size in list(c(10, 1), c(10, 2), c(2, 6), c(3, 6), c(2, 1))) {
    x <- matrix(stats::rnorm(prod(size)), size[1])
    fits <- suppressWarnings(list(
      bsufs(x, 1), dscofs(x, 1, 1), fspca(x, 1, 1), fspca(x, 1, 1, "exact"), spcafs(x, 1),
      kmeans_ufs(x, 1, 2), kmeans_ufs(x, 1, 2, "admm"),
      kmeans_ufs(x, 1, 2, "alternate", starts = 2)
    ))
    for (fit in fits) {
      expect_true(all(is.finite(fit$scores)))
      expect_setequal(fit$ranking, seq_len(size[2]))
    }
    largest <- which.max(colSums(centred(x)^2))
    expect_identical(unname(fits[[3]]$selected), largest)
    expect_identical(unname(fits[[4]]$selected), largest)
  }
})

test_that("samples that coincide are no centres beside each other", {
  set.seed(318)
  for (trial in seq_len(instances(300))) {
    rows <- matrix(stats::rnorm(2 * 5), 2) * 10^stats::runif(1, -6, 9)
    x <- rows[sample(rep(1:2, 2)), ]
    for (scale in c(TRUE, FALSE)) {
      fit <- suppressWarnings(kmeans_ufs(x, 2, 4, scale = scale))
      expect_true(all(is.finite(fit$scores)))
      expect_identical(length(fit$cluster), 4L)
    }
    data <- rowsparse:::in_units(rowsparse:::as_data(x))
    spectral <- suppressWarnings(
      rowsparse:::spectral_problem(data, 4, 2, list(inner_tol = 1e-8, inner_maxit = 300L))
    )
    expect_setequal(rowsparse:::distant_samples(spectral), 1:4)
  }
  data <- as_c_data(matrix(stats::rnorm(20), 5))
  for (bad in list(c(1L, NA), c(0L, 1L), c(1L, 6L))) {
    expect_error(c_call("C_kmeans", data, bad, 10L))
  }
})
