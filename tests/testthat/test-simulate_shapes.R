core_ends_here()

test_that("every shape has its size, names, balanced classes and position", {
  for (shape in names(rowsparse:::shape_table)) {
    set <- simulate_shapes(shape, 53, noise = 3, position = c(5, 2))
    expect_identical(dim(set$x), c(53L, 5L))
    expect_identical(colnames(set$x), paste0("f", 1:5))
    expect_identical(set$informative, c(5L, 2L))
    expect_length(set$y, 53)
    expect_lte(diff(range(tabulate(set$y))), 1)
    expect_false(is.unsorted(set$y))
  }
  expect_identical(dim(simulate_shapes("diamond9")$x), c(3000L, 9L))
})

test_that("every point lies on its shape", {
  set.seed(1)
  centred <- function(set, centre) sweep(set$x[, set$informative], 2, centre)
  diamond <- simulate_shapes("diamond9", 900)
  centres <- cbind(2 * ((diamond$y - 1) %% 3) - 1, 2 * ((diamond$y - 1) %/% 3))
  distance <- rowSums(abs(diamond$x[, diamond$informative] - centres))
  expect_lte(max(distance), 1)
  # uniform in area: |u| + |v| <= r holds with probability r^2
  expect_gt(stats::ks.test(distance, function(r) pmin(1, r^2))$p.value, 1e-3)

  board <- simulate_shapes("dartboard", 400)
  expect_equal(sqrt(rowSums(centred(board, c(-0.5, 0.5))^2)), (5 - board$y) / 10)

  spiral <- simulate_shapes("two_spirals", 400)
  xy <- spiral$x[, spiral$informative]
  expect_equal(xy[spiral$y == 1, ], -xy[spiral$y == 2, ])
  radius <- sqrt(rowSums(xy[spiral$y == 1, ]^2))
  angle <- 3 * pi * (radius - 1.5) / 5
  expect_equal(unname(xy[spiral$y == 1, ]), radius * cbind(cos(angle), sin(angle)))

  rings <- simulate_shapes("three_rings", 3000)
  residual <- sqrt(rowSums(rings$x[, rings$informative]^2)) - rings$y
  expect_equal(stats::sd(residual), 0.1, tolerance = 0.1)

  # lines y = sin(x) + 2c stay 2 apart, far beyond the jitter
  curves <- simulate_shapes("three_curves", 3000, position = c(1, 2))$x
  level <- (curves[, 2] - sin(curves[, 1])) / 2
  expect_lt(max(abs(level - round(level))), 0.5)
  expect_identical(sort(unique(round(level))), c(0, 1, 2))
})

test_that("the noise has the mean of the shape and its variance times ratio squared", {
  set.seed(2)
  ratio <- c(0.1, 0.5, 1, 2)
  set <- simulate_shapes("two_moons", 20000, noise = 4, ratio = ratio, position = c(2, 4))
  noise <- set$x[, -c(2, 4)]
  imitated <- set$x[, c(2, 4, 2, 4)]
  expect_equal(apply(noise, 2, sd), ratio * apply(imitated, 2, sd), tolerance = 0.03,
               ignore_attr = TRUE)
  expect_lt(max(abs(colMeans(noise) - colMeans(imitated)) / apply(noise, 2, sd)), 0.05)
  expect_lt(max(abs(cor(noise) - diag(4))), 0.05)
  expect_true(all(apply(simulate_shapes("banana", 50, ratio = 0)$x[, -(4:5)], 2, sd) < 1e-12))
})

test_that("contamination hits what it says", {
  clean <- function(...) {
    set.seed(5)
    simulate_shapes("dartboard", 1000, ...)$x
  }
  difference <- clean(contamination = "gaussian", level = 0.02) - clean()
  expect_equal(stats::sd(difference), 0.02, tolerance = 0.05)
  expect_lt(abs(mean(difference)), 1e-3)

  spoilt <- clean(contamination = "salt_pepper", level = 0.2)
  changed <- which(spoilt != clean())
  expect_lte(length(changed), 0.2 * length(spoilt))
  expect_gt(length(changed), 0.19 * length(spoilt))
  limits <- apply(clean(), 2, range)
  column <- (changed - 1) %/% 1000 + 1
  low <- spoilt[changed] == limits[1, column]
  high <- spoilt[changed] == limits[2, column]
  expect_true(all(low | high))
  expect_equal(mean(low), 0.5, tolerance = 0.1)
})
