# Names for what the package has inside: the proximal operators and a measure of agreement.

# of every entry: the least lambda |x|^q + (x - a)^2 / 2
prox_lq <- function(a, lambda, q) {
  storage.mode(a) <- "double"
  c_call("C_prox_lq", a, lambda, q)
}

# of every row: the least lambda ||x||^p + ||x - a||^2 / 2
prox_l2p <- function(A, lambda, p) {
  storage.mode(A) <- "double"
  c_call("C_prox_l2p", A, lambda, p)
}

# normalised mutual information, I / sqrt(H H)
nmi <- function(truth, cluster) rowsparse:::mutual_information_share(table(truth, cluster))
