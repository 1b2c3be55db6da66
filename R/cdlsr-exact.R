# The proof of optimality by branch and bound.
prove <- function(data, response, out, k, lambda, time_limit) {
  stop_rowsparse("choice", "method", "\"exact\" is being built")
}
