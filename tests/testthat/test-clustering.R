# best matching by trying every permutation of the larger side
brute_force_accuracy <- function(truth, cluster) {
  counts <- table(truth, cluster)
  size <- max(dim(counts))
  square <- matrix(0, size, size)
  square[seq_len(nrow(counts)), seq_len(ncol(counts))] <- counts
  permutations <- as.matrix(expand.grid(rep(list(seq_len(size)), size)))
  permutations <- permutations[apply(permutations, 1, anyDuplicated) == 0, , drop = FALSE]
  max(apply(permutations, 1, function(p) sum(square[cbind(seq_len(size), p)]))) / length(truth)
}

plain_nmi <- function(truth, cluster) {
  entropy_of <- function(...) {
    p <- as.vector(table(...)) / length(truth)
    -sum(p[p > 0] * log(p[p > 0]))
  }
  h1 <- entropy_of(truth)
  h2 <- entropy_of(cluster)
  (h1 + h2 - entropy_of(truth, cluster)) / sqrt(h1 * h2)
}

core_ends_here()

test_that("accuracy is the best over all matchings, also of rectangular tables", {
  skip_if_not_installed("clue")
  set.seed(1)
  for (groups in list(c(3, 3), c(2, 4), c(4, 2), c(1, 3), c(3, 1), c(4, 4))) {
    truth <- sample(groups[1], 40, replace = TRUE)
    cluster <- sample(groups[2], 40, replace = TRUE)
    expect_equal(clustering_accuracy(truth, cluster), brute_force_accuracy(truth, cluster))
  }
  expect_equal(clustering_accuracy(rep(1, 4), 1:4), 1 / 4)
  expect_equal(clustering_accuracy("a", 7), 1)
})

test_that("accuracy and NMI are blind to labels, order and the side", {
  skip_if_not_installed("clue")
  set.seed(2)
  truth <- sample(4, 60, replace = TRUE)
  cluster <- sample(3, 60, replace = TRUE)
  order <- sample(60)
  for (score in list(clustering_accuracy, nmi)) {
    value <- score(truth, cluster)
    expect_equal(score(cluster, truth), value)
    expect_equal(score(truth[order], cluster[order]), value)
    expect_equal(score(factor(letters[truth], levels = letters), -cluster), value)
    expect_equal(score(truth, letters[5 - truth]), 1)
  }
})

test_that("NMI is mutual information over the root of the entropies", {
  set.seed(3)
  for (i in 1:5) {
    truth <- sample(4, 30, replace = TRUE)
    cluster <- sample(3, 30, replace = TRUE)
    expect_equal(nmi(truth, cluster), plain_nmi(truth, cluster))
  }
  # independent by construction: every pair of labels once
  grid <- expand.grid(1:3, 1:5)
  expect_equal(nmi(grid[[1]], grid[[2]]), 0)
})

test_that("NMI is defined where an entropy is zero", {
  expect_identical(nmi(rep(1, 5), rep("a", 5)), 1)
  expect_identical(nmi(rep(1, 5), 1:5), 0)
  expect_identical(nmi(c(1, 2), c(3, 3)), 0)
})
