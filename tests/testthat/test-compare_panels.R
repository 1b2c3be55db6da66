# What panels reproduce of the data, and keep of neighbours and types, recomputed in plain R.

type <- from_seed(71, factor(rep(c("common", "rare", "some"), c(26, 7, 12))[sample.int(45)]))
x <- matrix(stats::rnorm(45 * 14), 45, dimnames = list(sprintf("s%02d", 1:45), paste0("g", 1:14)))
x[, 1:3] <- x[, 1:3] + 2 * outer(as.integer(type), c(1, -1, 0.5))
x[, 8] <- x[, 2] + 0.1 * stats::rnorm(45)
x[, 9] <- -x[, 5] + 0.5 * stats::rnorm(45)
cells <- list(x = x, type = type)

nearest_by_dist <- function(x, neighbours) {
  vapply(others_by_distance(squared_distances(x)), utils::head, integer(neighbours), neighbours)
}

plain_shares <- function(all, some, neighbours) {
  all <- nearest_by_dist(all, neighbours)
  some <- nearest_by_dist(some, neighbours)
  vapply(seq_len(ncol(all)), function(i) mean(all[, i] %in% some[, i]), 0)
}

own_by_type <- function(x, type, neighbours) {
  sets <- nearest_by_dist(x, neighbours)
  own <- vapply(seq_along(type), function(i) mean(type[sets[, i]] == type[i]), 0)
  tapply(own, type, mean)
}

# folds are dealt out class after class, by the distance from the mean
f1_by_plain_folds <- function(x, type, dealt = cells$x) {
  far <- rowSums(scale(dealt)^2)
  fold <- rep_len(1:10, length(type))[order(order(type, far))]
  told <- type
  for (out in split(seq_along(type), fold)) {
    fit <- suppressWarnings(cdlsr(x[-out, ], type[-out], k = ncol(x)))
    told[out] <- predict(fit, x[out, , drop = FALSE])
  }
  vapply(levels(type), function(own) {
    2 * sum(type == own & told == own) / (sum(type == own) + sum(told == own))
  }, 0)
}

test_that("neighbours are those on leading components, or in a reference", {
  set.seed(2)
  block <- rep(1:3, 20)
  x <- matrix(stats::rnorm(60 * 40), 60) %*% diag(1 / sqrt(1:40)) + 3 * block
  within <- apply(x, 2, function(z) z - stats::ave(z, block))
  scores <- function(x) stats::prcomp(x, rank. = 20)$x
  shared <- function(all, some) mean(plain_shares(all, some, 5))
  panel <- 1:25
  judged <- function(x, ...) compare_panels(panel, x, neighbours = 5, seed = 1, ...)$kept[1]
  expect_equal(judged(x), shared(scores(x), scores(x[, panel])))
  expect_equal(judged(x, block = block), shared(scores(within), scores(within[, panel])))
  expect_equal(judged(Matrix::Matrix(x, sparse = TRUE), block = block), judged(x, block = block))
  seen <- x[, 1:2]
  expect_equal(judged(x, reference = seen), shared(seen, scores(x[, panel])))
  expect_refused(judged(x, reference = seen[-1, ]), "length", "each of the 60 samples")
})

test_that("panels stand beside random sets and the largest variances of their size", {
  fit <- rowsparse(cells$x, k = 4, method = "css")
  theirs <- c("g1", "g9", "g5", "g12")
  set.seed(5)
  table <- compare_panels(list(ours = fit, theirs = theirs), cells$x, types = cells$type,
    neighbours = 6, random = 3
  )
  expect_identical(table$panel, c("ours", "theirs", "random", "variance"))
  expect_identical(table$k, rep(4L, 4))
  draws <- from_seed(5, replicate(3, sample.int(14, 4), simplify = FALSE))
  largest <- order(-apply(cells$x, 2, stats::var))[1:4]
  each <- function(value) {
    c(value(fit$selected), value(match(theirs, colnames(cells$x))),
      mean(vapply(draws, value, 0)), value(largest)
    )
  }
  expect_equal(table$explained, each(function(set) share_reproduced(cells$x, set)))
  expect_equal(table$kept, each(function(set) mean(plain_shares(cells$x, cells$x[, set], 6))))
  own <- function(set) own_by_type(cells$x[, set], cells$type, 6)
  expect_equal(table$same, each(function(set) mean(own(set))))
  f1_of <- function(set) f1_by_plain_folds(cells$x[, set], cells$type)
  expect_equal(table$f1, each(function(set) mean(f1_of(set))))
  expect_equal(table$lowest_f1, each(function(set) min(f1_of(set))))
  r <- abs(stats::cor(cells$x))
  within <- function(set) {
    part <- r[set, set]
    diag(part) <- -1
    mean(apply(part, 1, max))
  }
  expect_equal(table$redundancy, each(within))
  expect_equal(table$backed, each(function(set) mean(apply(r[-set, set] >= 0.9, 2, any))))
  kept <- attr(table, "kept")
  expect_equal(unname(kept[, "ours"]), plain_shares(cells$x, cells$x[, fit$selected], 6))
  expect_identical(rownames(kept), rownames(cells$x))
  expect_equal(attr(kept, "chance"), 6 / 44)
  by_type <- attr(table, "types")
  theirs <- by_type[by_type$panel == "theirs", ]
  expect_identical(theirs$type, c("rare", "some", "common"))
  expect_identical(theirs$samples, c(7L, 12L, 26L))
  expect_equal(theirs$same, as.vector(own(c(1, 9, 5, 12))[theirs$type]))
  expect_equal(theirs$same_all, as.vector(own(1:14)[theirs$type]))
  expect_equal(theirs$chance, (theirs$samples - 1) / 44)
  expect_equal(theirs$kept, as.vector(tapply(kept[, "theirs"], cells$type, mean)[theirs$type]))
})

core_ends_here()

test_that("near-copies; scaled, sparse, in blocks, of some samples and of several sizes", {
  set <- c(2, 5, 7)
  own <- attr(compare_panels(list(a = colnames(x)[set]), x), "features")
  r <- abs(stats::cor(x))
  expect_identical(own$feature, colnames(x)[set])
  outside <- setdiff(1:14, set)
  expect_equal(own$correlation, unname(apply(r[outside, set], 2, max)))
  expect_identical(own$copy, colnames(x)[outside][apply(r[outside, set], 2, which.max)])
  expect_identical(own$count, unname(as.integer(colSums(r[outside, set] >= 0.9))))
  among <- r[set, set]
  diag(among) <- -1
  expect_equal(own$within, unname(apply(among, 2, max)))
  expect_identical(own$partner, colnames(x)[set][apply(among, 2, which.max)])
  all <- compare_panels(1:14, x)
  expect_true(all(is.na(attr(all, "features")$copy)))
  expect_equal(all$explained[1], 1)
  expect_equal(all$kept[1], 1)
  numbers <- c("explained", "kept", "redundancy")
  judged <- function(panels, x, ...) {
    set.seed(1)
    as.data.frame(compare_panels(panels, x, ..., neighbours = 5))
  }
  table <- judged(list(a = 1:3, b = 4:8), x)
  expect_identical(table$panel,
    c("a", "b", "random (3)", "variance (3)", "random (5)", "variance (5)")
  )
  expect_false(any(c("same", "nmi") %in% names(table)))
  sparse <- judged(list(a = 1:3, b = 4:8), Matrix::Matrix(x, sparse = TRUE))
  expect_equal(sparse, table, ignore_attr = TRUE)
  scaled <- judged(1:3, x, scale = TRUE)
  expect_equal(scaled[1:2, numbers], judged(1:3, scale(x))[1:2, numbers])
  block <- rep_len(c("p", "q"), 45)
  within <- apply(x, 2, function(z) z - stats::ave(z, block))
  shift <- 9 * (block == "q")
  expect_equal(judged(1:3, x + shift, block = block, y = x[, 4] + shift)[c(numbers, "error")],
    judged(1:3, within, y = within[, 4])[c(numbers, "error")]
  )
  some <- judged(1:3, x, samples = 11)
  rows <- attr(attr(some, "kept"), "rows")
  expect_identical(c(length(rows), range(rows)), c(11, 1, 45))
  expect_equal(some[numbers], judged(1:3, x[rows, ])[numbers])
})

test_that("a numeric response is predicted from each panel, as cv_rowsparse() judges it", {
  x <- as.matrix(mtcars[-1])
  y <- mtcars$mpg
  table <- compare_panels(list(a = c("wt", "hp"), b = 1:4), x, y = y, random = 2, seed = 4)
  set.seed(4, sample.kind = "Rejection")
  draws <- lapply(c(2, 2, 4, 4), function(k) sample.int(10, k))
  widest <- order(-apply(x, 2, stats::var))
  errors <- vapply(c(list(c(5, 3), 1:4, widest[1:2], widest[1:4]), draws), function(set) {
    cv_rowsparse(x, y, method = function(x, y, k) set, folds = 10)$table$error
  }, 0)
  expect_equal(table$error, c(errors[1:2], mean(errors[5:6]), errors[3], mean(errors[7:8]),
    errors[4]
  ))
  # the panel of a cross-validation beside others and alone
  cv <- cv_rowsparse(mpg ~ ., data = mtcars, k = 1:3, method = "cdlsr")
  own <- cv_rowsparse(x, y, k = 2, method = function(x, y, k) c("cyl", "disp"))
  both <- compare_panels(list(cv = cv, own = own), x, y = y, seed = 4)
  expect_identical(as.list(both[2, -1]), as.list(compare_panels(own, x, y = y)[1, -1]))
  expect_identical(attr(both, "features")$feature, c(selected(cv), "cyl", "disp"))
  before <- .Random.seed
  expect_identical(both, compare_panels(list(cv = cv, own = own), x, y = y, seed = 4))
  expect_identical(.Random.seed, before)
  expect_each_refused("type", "`y =`" = compare_panels(1:2, x, types = y),
    "`types =`" = compare_panels(1:2, x, y = factor(mtcars$cyl))
  )
  expect_output(print(both), "error +relative squared error of y.*random, variance:")
})

# ---- clustering ------------------------------------------------------------------

test_that("well separated types are found by k-means, in every run", {
  skip_if_not_installed("clue")
  type <- rep(c("a", "b", "c"), c(10, 20, 30))
  x <- from_seed(3, matrix(stats::rnorm(60 * 6), 60))
  x[, 1:2] <- x[, 1:2] + 50 * rbind(c(0, 0), c(0, 1), c(1, 0))[match(type, letters), ]
  table <- compare_panels(list(good = 1:2, bad = 3:4), x, types = type, clustering = TRUE)
  expect_equal(as.double(table[1, c("acc", "acc_sd", "nmi", "nmi_sd")]), c(1, 0, 1, 0))
  runs <- attr(table, "runs")
  expect_equal(as.vector(table(runs$panel)), c(50, 50, 250, 50))
  bad <- runs[runs$panel == "bad", ]
  expect_equal(as.double(table[2, c("acc", "nmi_sd")]), c(mean(bad$acc), stats::sd(bad$nmi)))
})

test_that("starts are k-means++: far samples are drawn in proportion to their squared distance", {
  set.seed(4)
  x <- matrix(c(0, 0, 1, 3), 4)
  draws <- replicate(4000, rowsparse:::spread_centres(x, 2))
  second <- draws[2, draws[1, ] == 1]
  expect_false(any(second == 2))
  expect_equal(mean(second == 4), 0.9, tolerance = 0.03)
  expect_length(rowsparse:::spread_centres(matrix(1, 5), 3), 1)
})

test_that("a cluster that Lloyd's iteration empties gets the farthest sample", {
  x <- cbind(c(4, 4, 0, 1, 6, 1), c(1, 2, 4, 0, 2, 5))
  starts <- lapply(1:4000, function(seed) from_seed(seed, rowsparse:::spread_centres(x, 3)))
  seed <- Position(function(rows) setequal(rows, c(1, 2, 4)), starts)
  alone <- suppressWarnings(stats::kmeans(x, x[c(1, 2, 4), ], 200, algorithm = "Lloyd"))
  expect_true(any(alone$size == 0))
  cluster <- from_seed(seed, rowsparse:::kmeans_run(x, 3))
  centres <- rowsum(x, cluster) / tabulate(cluster)
  expect_equal(max.col(-squared_distances(rbind(centres, x))[-(1:3), 1:3], "first"), cluster)
})

test_that("accuracy is the best over all matchings, and NMI mutual information", {
  skip_if_not_installed("clue")
  set.seed(1)
  entropy_of <- function(...) {
    p <- as.vector(table(...)) / 40
    -sum(p[p > 0] * log(p[p > 0]))
  }
  for (groups in list(c(3, 3), c(2, 4), c(4, 2))) {
    truth <- sample(groups[1], 40, replace = TRUE)
    cluster <- sample(groups[2], 40, replace = TRUE)
    matchings <- as.matrix(expand.grid(rep(list(seq_len(max(groups))), max(groups))))
    matchings <- matchings[apply(matchings, 1, anyDuplicated) == 0, , drop = FALSE]
    best <- max(apply(matchings, 1, function(p) mean(p[cluster] == truth)))
    expect_equal(rowsparse:::matched_share(table(truth, cluster)), best)
    h <- c(entropy_of(truth), entropy_of(cluster))
    expect_equal(nmi(truth, cluster), (sum(h) - entropy_of(truth, cluster)) / sqrt(prod(h)))
  }
  expect_equal(nmi(rep(1:3, 5), rep(1:5, each = 3)), 0)
  expect_identical(nmi(rep(1, 5), rep("a", 5)), 1)
  expect_identical(nmi(rep(1, 5), 1:5), 0)
})

test_that("what is no panel is refused, and types without company have no share", {
  for (call in expression(
    compare_panels(list(1:2), x), compare_panels(list(a = 1:2, a = 3), x),
    compare_panels(list(random = 1:2), x),
    compare_panels(list(), x), compare_panels(mean, x), compare_panels(list(a = "nobody"), x),
    compare_panels(list(a = 15), x), compare_panels(list(a = c(1, 1)), x)
  )) {
    expect_error(eval(call), "`panels", class = "rowsparse_error")
  }
  expect_refused(compare_panels(lapscore(x), x), "range", "`k`")
  expect_refused(compare_panels(1:2, x, neighbours = 45), "range", "`neighbours`")
  expect_refused(compare_panels(1:2, moments(x)), "type", "in memory")
  expect_refused(compare_panels(1:2, x, clustering = TRUE), "argument", "`clustering`")
  for (types in list("type", 1:44, list(1), c(NA, rep(1:2, 22)))) {
    expect_error(compare_panels(1:3, x, types = types), "`types`", class = "rowsparse_error")
  }
  type <- replace(as.character(cells$type), 1, "alone")
  table <- compare_panels(1:3, cells$x, types = type)
  by_type <- attr(table, "types")[1:4, ]
  expect_identical(is.na(by_type$same), c(TRUE, FALSE, FALSE, FALSE))
  expect_identical(is.na(by_type$f1), is.na(by_type$same))
  expect_identical(table$lowest_f1[1], min(by_type$f1[2:4]))
})
