# Shapes in the plane that are hidden among columns of noise.

# the points of a data set, at most 500 per class, in columns 4 and 5 of nine: the other seven
# are noise with the mean and the standard deviation of the two
hidden_shape <- function(set) {
  rows <- unlist(lapply(split(seq_along(set$y), set$y), function(i) {
    if (length(i) > 500) sample(i, 500) else i
  }))
  x <- set$x[rows, ]
  noise <- vapply(rep_len(1:2, 7), function(j) {
    stats::rnorm(nrow(x), mean(x[, j]), stats::sd(x[, j]))
  }, numeric(nrow(x)))
  cbind(noise[, 1:3], x, noise[, 4:7])
}
