x <- matrix(c(1, 2, 3, 5, 8, 13, 2, 7, 1, 8, 2, 8), 6)

core_ends_here()

test_that("moments hold no samples", {
  expect_refused(lapscore(moments(x)), "type", "must hold the samples themselves; got moments")
})

test_that("bad settings of the graph are refused", {
  for (method in list(lapscore, spec, function(x, ...) mcfs(x, 1, clusters = 2, ...))) {
    expect_refused(method(letters), "type", "`x` must be a numeric matrix")
    expect_refused(method(x, neighbours = 0), "range", "`neighbours`")
    expect_refused(method(x, neighbours = 1.5), "range", "`neighbours`")
    expect_refused(method(x, metric = "manhattan"), "choice", "\"euclidean\", \"cosine\"")
    expect_refused(method(x, scale = NA), "type", "`scale`")
    expect_refused(method(x, control = list(speed = 1)), "control", "speed")
    expect_refused(method(x, weights = "gaussian"), "choice", "`weights`")
    expect_refused(method(x, t = 0), "range", "`t` must be a number")
    expect_refused(method(x, weights = "can", t = 1), "argument", "weights = \"heat\"")
    expect_refused(method(x, mutual = 1), "type", "`mutual`")
    expect_refused(method(replace(x, 8, NA)), "nonfinite", "row 2, column 2")
  }
  old <- options(rowsparse.memory = 500)
  on.exit(options(old))
  expect_refused(lapscore(x), "memory", "GB")
})
