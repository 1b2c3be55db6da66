# neighbours: time of the exact search beside that of its matrix products and of
# other packages, and time and accuracy of spectral embeddings. Writes
# bench/results/neighbours.md:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/neighbours.R
# The packages FNN, RANN and BiocNeighbors are measured where they are installed.
source(file.path("bench", "common.R"))
source(file.path("tests", "testthat", "helper-graph.R"))

# seconds of the n x n inner products, 256 rows at a time, without keeping them
seconds_of_products <- function(x) {
  z <- scale(x, scale = FALSE)
  starts <- seq(1, nrow(z), by = 256)
  timed(for (from in starts) {
    block <- t(z[from:min(nrow(z), from + 255), , drop = FALSE])
    z %*% block
  }, repeats = 3)$cpu
}

others <- list(
  "BiocNeighbors, VP tree" = function(x, k) {
    BiocNeighbors::findKNN(x, k, BNPARAM = BiocNeighbors::VptreeParam())$index
  },
  "BiocNeighbors, k-means tree" = function(x, k) {
    BiocNeighbors::findKNN(x, k, BNPARAM = BiocNeighbors::KmknnParam())$index
  },
  "FNN, kd-tree" = function(x, k) FNN::get.knn(x, k, "kd_tree")$nn.index,
  RANN = function(x, k) RANN::nn2(x, k = k + 1)$nn.idx[, -1]
)

# one table: ours, the products, the other packages
search_table <- function(title, x, k) {
  cat(sprintf("\n## %s, k = %d\n\n", title, k))
  cat("| search | processor s | times the products | rows that agree |\n|---|---:|---:|---:|\n")
  products <- seconds_of_products(x)
  row <- function(label, run, index) {
    cat(sprintf("| %s | %.2f | %.2f | %s |\n", label, run$cpu, run$cpu / products, index))
  }
  row("matrix products alone", list(cpu = products), "")
  ours <- timed(neighbours(x, k), repeats = 3)
  row("rowsparse", ours, "")
  row("rowsparse, cosine", timed(neighbours(x, k, "cosine"), repeats = 3), "")
  for (label in names(others)) {
    if (!requireNamespace(sub(",.*", "", label), quietly = TRUE)) next
    found <- timed(others[[label]](x, k), repeats = 1)
    same <- rowSums(found$value == ours$value$index) == k
    row(label, found, sprintf("%.2f%%", 100 * mean(same)))
  }
}

# six graphs, 31 vectors each; the products ||X'V||^2 beside those of LAPACK
embedding_table <- function(names) {
  cat("\n## Spectral embedding: 31 vectors, self-tuning weights, regularization 0.1\n\n")
  cat("Time of the six graphs of a data set (both metrics, 3, 5 and 7 neighbours): of the\n")
  cat("neighbours alone, and of neighbours, graphs and vectors together. Error: largest\n")
  cat("relative difference of ||X'V_m||^2 from LAPACK's, m = 1, 3, 7, 15, 31.\n\n")
  cat("| data | n | neighbours s | embedding s | LAPACK s | error |\n")
  cat("|---|---:|---:|---:|---:|---:|\n")
  for (name in names) embedding_row(name, bench_data(name)$x)
}

embedding_row <- function(name, x) {
  z <- scale(x, scale = FALSE)
  search <- embed <- lapack <- error <- 0
  for (metric in c("euclidean", "cosine")) {
    near <- timed(neighbours(x, 8, metric), repeats = 3)
    search <- search + near$cpu
    for (q in c(3, 5, 7)) {
      fit <- timed(
        spectral_embedding(x, 31, q, "self_tuning", regularization = 0.1, metric = metric),
        repeats = 3
      )
      plain <- timed(plain_embedding(fit$value, 31), repeats = 1)
      embed <- embed + fit$cpu
      lapack <- lapack + plain$cpu
      for (m in c(1, 3, 7, 15, 31)) {
        squares <- vapply(list(fit$value$vectors, plain$value), function(V) {
          sum(crossprod(z, V[, seq_len(m)])^2)
        }, 0)
        error <- max(error, abs(squares[1] / squares[2] - 1))
      }
    }
  }
  cat(sprintf("| %s | %d | %.2f | %.2f | %.1f | %.1e |\n", name, nrow(x), search, embed, lapack,
    error
  ))
}

plain_embedding <- function(fit, m) {
  graph <- fit$graph
  A <- matrix(0, graph$n, graph$n)
  A[cbind(rep(seq_len(graph$n), diff(graph$start)), graph$index)] <- graph$weight
  A <- A + 0.1 * mean(rowSums(A)) / graph$n
  root <- 1 / sqrt(rowSums(A))
  eigen(root * A * rep(root, each = graph$n), symmetric = TRUE)$vectors[, 1 + seq_len(m)]
}

sink(file.path("bench", "results", "neighbours.md"), split = TRUE)
cat("# Neighbours and embeddings of the samples\n\n")
cat("`OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/neighbours.R`  \n")
machine_line()
cat("Processor seconds of one thread, medians of three runs (other packages: one run), on a\n")
cat("shared machine with two cores. The products are those of the centred data with blocks of\n")
cat("256 of their rows, by R's own matrix product.\n")
embedding_table(c("USPS_1000", "COIL20", "Isolet"))
set.seed(2)
clusters <- matrix(rnorm(50 * 20), 50)[sample(50, 1e4, TRUE), ] * 4
search_table("50 clusters in 20 dimensions, 10 000 x 20", clusters + matrix(rnorm(2e5), 1e4), 10)
set.seed(1)
search_table("Gaussian noise, 10 000 x 1 000", matrix(rnorm(1e7), 1e4), 10)
sink()
