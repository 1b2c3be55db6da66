expect_rejected <- function(expr, subclass, argument) {
  expect_refused(expr, subclass, paste0("`", argument, "`"))
}

x <- matrix(c(1, 2, 4, 3, 5, 9, 2, 2, 1, 0, 0, 1), 6)
y <- c(1, 1, 1, 2, 2, 2)

core_ends_here()

test_that("simulate_shapes() rejects what it cannot draw", {
  expect_rejected(simulate_shapes("triangle"), "choice", "shape")
  expect_rejected(simulate_shapes("diamond9", 8), "range", "n")
  expect_rejected(simulate_shapes("banana", 20.5), "range", "n")
  expect_rejected(simulate_shapes("banana", noise = -1), "range", "noise")
  expect_rejected(simulate_shapes("banana", ratio = -1), "range", "ratio")
  expect_rejected(simulate_shapes("banana", ratio = 1:2), "length", "ratio")
  expect_rejected(simulate_shapes("banana", position = c(9, 10)), "range", "position")
  expect_rejected(simulate_shapes("banana", position = c(2, 2)), "range", "position")
  expect_rejected(simulate_shapes("banana", position = 1), "range", "position")
  expect_rejected(simulate_shapes("banana", noise = 0), "range", "position")
  expect_rejected(simulate_shapes("banana", contamination = "rain"), "choice", "contamination")
  expect_rejected(simulate_shapes("banana", contamination = "salt_pepper", level = 1.1), "range",
                  "level")
})

test_that("a ratio of any shape is a number", {
  expect_no_warning(simulate_shapes("banana", 20, ratio = array(0.5, 1)))
})

test_that("a missing package is told as such", {
  expect_rejected(check_installed("no.such.package", "for accuracy"), "package",
                  "no.such.package")
  expect_silent(check_installed("stats", "for anything"))
})

test_that("dimensions, grids and points are checked before any fit", {
  for (m in list(NA, "a", 1:2, 0, 1e10, mean)) {
    for (method in c("css", "bsufs", "dscofs", "fspca", "spcafs")) {
      expect_refused(rowsparse_path(x, method = method, m = m), "range", "`m` must be a whole")
    }
  }
  expect_refused(cv_rowsparse(x, method = "fspca", m = 1e10), "range", "`m` must be a whole")
  expect_refused(rowsparse_path(x, 1:3, method = "css"), "length", "`y`")
  expect_refused(rowsparse_path(x, method = "kmeans_ufs", solver = NA), "choice", "`solver`")
  expect_refused(rowsparse_path(x, method = "bsufs", m = 1, solver = NA), "choice", "`solver`")
})
