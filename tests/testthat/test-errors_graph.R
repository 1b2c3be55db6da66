x <- matrix(c(1, 2, 3, 5, 8, 13, 2, 7, 1, 8, 2, 8), 6)

test_that("moments hold no samples", {
  expect_refused(neighbours(moments(x), 1), "type", "must hold the samples themselves; got moments")
  expect_refused(spectral_embedding(moments(x)), "type", "row_blocks()")
})

test_that("bad arguments of neighbours() are refused", {
  expect_refused(neighbours(letters, 1), "type", "`x` must be a numeric matrix")
  expect_refused(neighbours(x, 6), "range", "`k` must be a whole number from 1 to 5; got 6")
  expect_refused(neighbours(x), "range", "from 1 to 5; got 10")
  expect_refused(neighbours(x, 0), "range", "`k`")
  expect_refused(neighbours(x, 1.5), "range", "`k`")
  expect_refused(neighbours(x, 2, "manhattan"), "choice", "\"euclidean\", \"cosine\"")
  expect_refused(neighbours(x, 2, scale = NA), "type", "`scale`")
  expect_refused(neighbours(x, 2, control = list(speed = 1)), "control", "speed")
  old <- options(rowsparse.memory = 500)
  on.exit(options(old))
  expect_refused(neighbours(x, 2), "memory", "GB")
})

test_that("bad arguments of spectral_embedding() are refused", {
  expect_refused(spectral_embedding(x, 6), "range", "`m` must be a whole number from 1 to 5")
  expect_refused(spectral_embedding(x, neighbours = 6), "range", "`neighbours`")
  expect_refused(spectral_embedding(x, weights = "gaussian"), "choice", "`weights`")
  expect_refused(spectral_embedding(x, t = 0), "range", "`t` must be a number")
  expect_refused(spectral_embedding(x, weights = "can", t = 1), "argument", "weights = \"heat\"")
  expect_refused(spectral_embedding(x, mutual = 1), "type", "`mutual`")
  expect_refused(spectral_embedding(x, laplacian = "sym-metric"), "choice", "`laplacian`")
  expect_refused(spectral_embedding(x, regularization = -1), "range", "`regularization`")
  expect_refused(spectral_embedding(x, control = list(tol = -1)), "range", "`tol`")
  x[2, 2] <- NA
  expect_refused(spectral_embedding(x), "nonfinite", "row 2, column 2")
})

test_that("neighbours found before bring their own settings", {
  near <- neighbours(x, 3)
  expect_refused(spectral_embedding(near, metric = "cosine"), "argument", "`metric` must be left")
  expect_refused(spectral_embedding(near, scale = FALSE), "argument", "`scale` must be left out")
  expect_refused(spectral_embedding(near, neighbours = 4), "range", "from 1 to 3; got 4")
  expect_refused(spectral_embedding(near, neighbours = 3, weights = "can"), "range", "to 2; got 3")
  expect_refused(spectral_embedding(neighbours(x, 1), weights = "can"), "size", "at least 2")
  expect_refused(spectral_embedding(near, 9, 2), "range", "`m`")
})

test_that("objects changed by hand are refused", {
  near <- neighbours(x, 2)
  fit <- spectral_embedding(x, 2, 3, regularization = 0.1)
  changed <- function(object, element, value) {
    object[[element]] <- value
    object
  }
  expect_refused(spectral_embedding(changed(near, "index", near$index + 3L), 1, 2), "object",
                 "`index` must be an n x k matrix of row numbers")
  expect_refused(print(changed(near, "distance", -near$distance)), "object", "`distance`")
  expect_refused(as.data.frame(changed(near, "n", NULL)), "object", "`n` must be")
  expect_refused(print(changed(fit, "vectors", NULL)), "object", "`vectors` must be a matrix")
  expect_refused(as.data.frame(changed(fit, "component", 1)), "object", "`component`")
  expect_refused(plot(changed(fit, "values", "a")), "object", "`values`")
  expect_refused(plot(fit, dims = 3), "range", "`dims` must be whole numbers from 1 to 2")
  expect_refused(plot(fit, dims = c(1, 2, 1)), "size", "one vector or two")
  expect_refused(plot(fit, groups = 1:3), "length", "`groups`")
  expect_refused(plot(fit, 1:2, 1:6, 3), "argument", "is not an argument of this plot")
  expect_refused(as.data.frame(fit, 1, TRUE, wide = 2), "argument", "`wide`")
})
