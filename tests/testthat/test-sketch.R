# ||S - F'F|| in plain R
left_out <- function(sketch, x) {
  S <- crossprod(scale(x, scale = FALSE))
  max(eigen(S - crossprod(sketch$factor), symmetric = TRUE, only.values = TRUE)$values)
}

rows_in_blocks <- function(x, count) in_blocks(x, tabulate(sort(rep_len(seq_len(count), nrow(x)))))

# n x d with given singular values, in a random basis
with_spectrum <- function(n, values, d = length(values)) {
  left <- qr.Q(qr(matrix(stats::rnorm(n * length(values)), n)))
  right <- qr.Q(qr(matrix(stats::rnorm(d * length(values)), d)))
  left %*% (values * t(right))
}

hostile <- function() {
  decaying <- from_seed(91, with_spectrum(300, 0.8^(0:39)))
  list(
    decaying = decaying, flat = matrix(stats::rnorm(300 * 40), 300),
    # the directions that matter come last, one after the other
    late = diag(40)[rep(1:40, each = 8), ] * rep(1.2^(1:40), each = 8),
    sorted = decaying[order(rowSums(decaying^2)), ],
    copies = decaying[rep(1:10, 30), ], constant = cbind(decaying, 7),
    far = decaying + 1e4, tiny = decaying * 1e-148, large = decaying * 1e150,
    mixed = decaying * rep(10^seq(-8, 8, length.out = 40), each = 300)
  )
}

test_that("the bound holds on hostile data, whole and in blocks", {
  for (x in hostile()) {
    whole <- moments(x)
    for (rank in c(1, 3, 10)) {
      for (sketch in list(moments(x, rank = rank), moments(rows_in_blocks(x, 7), rank = rank))) {
        expect_lte(nrow(sketch$factor), rank)
        expect_lte(left_out(sketch, x), sketch$error)
        # what is left out is positive semidefinite
        least <- min(eigen(whole$S - crossprod(sketch$factor), TRUE, TRUE)$values)
        expect_gte(least, -1e-9 * sum(sketch$square))
        expect_equal(sketch$square, diag(whole$S), tolerance = 1e-9)
        expect_equal(sketch$mean, whole$mean, tolerance = 1e-12)
      }
    }
  }
})

core_ends_here()

test_that("sparse rows, levels and responses are those of whole moments", {
  x <- from_seed(94, Matrix::rsparsematrix(300, 50, 0.2))
  dense <- as.matrix(x)
  block <- gl(3, 100)
  y <- dense[, 3] + stats::rnorm(300)
  whole <- moments(dense, y, block)
  blocks <- rows_in_blocks(dense, 4)
  for (sketch in list(moments(x, y, block, rank = 12), moments(blocks, y, block, rank = 12))) {
    same <- c("n", "mean", "y_mean", "Sxy", "Syy", "block")
    expect_equal(sketch[same], whole[same], tolerance = 1e-10)
    expect_equal(sketch$square, unname(diag(whole$S)), tolerance = 1e-10)
    left <- eigen(whole$S - crossprod(sketch$factor), TRUE, TRUE)$values
    expect_lte(max(left), sketch$error)
    expect_gte(min(left), -1e-9 * sum(sketch$square))
  }
})

test_that("sketches add up in any order, within the bound of the sum", {
  x <- from_seed(95, with_spectrum(240, 0.85^(0:29)) + rep(1:4, each = 60))
  parts <- lapply(1:4, function(i) moments(x[60 * (i - 1) + 1:60, ], rank = 8))
  for (order in list(1:4, 4:1, c(2, 4, 1, 3))) {
    sum <- Reduce(`+`, parts[order])
    expect_lte(left_out(sum, x), sum$error)
    expect_equal(sum$square, colSums(scale(x, scale = FALSE)^2), tolerance = 1e-10)
    expect_identical(nrow(sum$factor), 8L)
  }
  pair <- (parts[[1]] + parts[[2]]) + (parts[[3]] + parts[[4]])
  expect_lte(left_out(pair, x), pair$error)
  expect_refused(parts[[1]] + moments(x), "type", "different kinds: one is a sketch")
})

# twelve features that carry six components each in their own mix, and many that carry little
clear_features <- function() {
  set.seed(96)
  weights <- matrix(0, 6, 40)
  weights[cbind(rep(1:6, 2), 1:12)] <- rep(c(9, 7, 6, 5, 4, 3), 2) * rep(c(1, 0.8), each = 6)
  x <- matrix(stats::rnorm(150 * 6), 150) %*% weights + 0.3 * matrix(stats::rnorm(150 * 40), 150)
  x[, 13:40] <- x[, 13:40] * rep(0.9^(1:28), each = 150)
  colnames(x) <- paste0("f", 1:40)
  x
}

test_that("methods select the same from a sketch that is large enough", {
  x <- clear_features()
  whole <- moments(x)
  sketch <- moments(x, rank = 30)
  for (method in c("bsufs", "fspca", "spcafs", "fen_pcafs", "dscofs", "css")) {
    run <- function(x) rowsparse(x, k = 6, method = method, m = 6)
    expect_setequal(run(sketch)$selected, run(whole)$selected)
    expect_equal(run(sketch)$explained, run(whole)$explained, tolerance = 1e-2)
  }
  expect_equal(variance(sketch)$scores, variance(whole)$scores, tolerance = 1e-10)
  expect_equal(css(sketch, 5, m = Inf)$selected, css(whole, 5, m = Inf)$selected)
  expect_equal(css(sketch, 5, exclude = 1:3)$selected, css(whole, 5, exclude = 1:3)$selected)
  expect_equal(css(sketch, 6, scale = TRUE, include = 7)$selected[1], 7)
  expect_setequal(spca_psd(sketch)$ranking[1:4], spca_psd(whole)$ranking[1:4])
})

test_that("what a sketch cannot serve is refused", {
  x <- sample_matrix(60, 20)
  sketch <- moments(x, x[, 1] + 1:60, rank = 5)
  expect_refused(cdlsr(sketch, k = 2), "type", "must be whole moments")
  expect_refused(bsufs(sketch, m = 6), "range", "from 1 to 5")
  expect_refused(moments(x, rank = 0), "range", "`rank`")
  expect_output(print(sketch), "60 samples, 20 features.*sketch of rank 5.*of the trace")
  expect_output(print(summary(sketch)), "of the eigenvalue [0-9]+")
  expect_refused(moments(sketch), "type", "must be data, not moments")
  broken <- sketch
  broken$factor <- sketch$factor * 2
  expect_refused(bsufs(broken), "type", "must be moments as moments() makes them")
})
