# How fast this machine is at the kinds of work of needs.R: measured once per session, in
# processor time, in about a fifth of a second.

known_speed <- new.env(parent = emptyenv())

# numbers or multiplications per second, by kind of work
machine_speed <- function() {
  if (is.null(known_speed$rate)) {
    known_speed$rate <- vapply(speed_tasks(), measured_rate, 0)
  }
  known_speed$rate
}

# seconds of processor time on one thread
seconds_of <- function(needs, rate = machine_speed()) {
  calling_seconds + sum(needs[names(rate)] / rate)
}

# what checks and results take, whatever the sizes
calling_seconds <- 0.03

# each with the work that one call does; fixed numbers, as nothing may be drawn
speed_tasks <- function() {
  square <- matrix(cos(seq_len(90000)), 300)
  symmetric <- crossprod(square[, 1:160])
  long <- cos(seq_len(1e5))
  dense <- speed_data("dense")
  sparse <- speed_data("sparse")
  columns <- matrix(cos(seq_len(2 * dense$n)), dense$n)
  list(
    product = list(work = 300^3, run = function() square %*% square),
    read = list(work = dense$n * dense$d, run = function() product_squares(dense, columns)),
    sparse = list(
      work = 2 * length(sparse$x), run = function() product_squares(sparse, columns)
    ),
    eigen = list(work = 160^3, run = function() eigen(symmetric, symmetric = TRUE)),
    moved = list(work = 2e5, run = function() long * long + 1)
  )
}

# data as as_data() makes them, larger than the caches of most machines
speed_data <- function(kind, n = 1200L, d = 1000L, step = 20L) {
  x <- if (kind == "dense") {
    list(x = matrix(rep_len(cos(seq_len(9999)), n * d), n), kept = .Call(C_keeper))
  } else {
    each <- n %/% step
    rows <- rep_len(seq_len(step) - 1L, d)
    i <- rep(rows, each = each) + step * (seq_len(each) - 1L)
    list(i = i, p = each * (0:d), x = rep(1, each * d))
  }
  c(list(kind = kind, n = n, d = d, mean = numeric(d), square = rep(1, d)), x)
}

product_squares <- function(data, columns) .Call(C_product_squares, data, columns)

# The best of three looks, as other work on the machine can only slow one down; each until a
# clock that counts milliseconds has something to count.
measured_rate <- function(task, least = 0.012) {
  task$run() # the first call makes what the others find
  max(vapply(1:3, function(look) {
    started <- sum(proc.time()[1:2])
    seconds <- calls <- 0
    while (seconds < least && calls < 1e5) {
      task$run()
      calls <- calls + 1
      seconds <- sum(proc.time()[1:2]) - started
    }
    calls * task$work / seconds
  }, 0))
}
