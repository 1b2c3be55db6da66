# Run by test-interrupt.R in an R process of its own, which sends signals to
# itself: every entry is run again and again until it is stopped, by SIGINT and by
# a time limit. Writes one line per entry and way: name, way, classes, message.
library(rowsparse)

set.seed(71)
x <- matrix(stats::rnorm(60 * 200), 60) %*% diag(seq(3, 1, length.out = 200))
y <- x[, 1] + stats::rnorm(60)
classes <- factor(x[, 2] > 0)
table <- rowsparse:::method_table()
is_supervised <- vapply(table, function(entry) entry$response == "needed", NA)
unsupervised <- names(table)[!is_supervised]
supervised <- names(table)[is_supervised]
control <- rowsparse_control(tol = 0, maxit = 1e6, inner_tol = 0, inner_maxit = 1e6)

entries <- function() {
  fits <- c(
    lapply(unsupervised, function(name) {
      force(name)
      function() rowsparse(x, k = 5, method = name, control = control)
    }),
    lapply(supervised, function(name) {
      response <- if ("numeric" %in% table[[name]]$responses) y else classes
      function() rowsparse(x, response, k = 5, method = name, control = control)
    })
  )
  names(fits) <- c(unsupervised, supervised)
  around <- list(
    starts = function() cdlsr(x, y, 20, start = "random", starts = 5000),
    path = function() rowsparse_path(x, method = "bsufs", m = 3, control = control),
    path_k = function() rowsparse_path(x, y, method = "cdlsr", k = 1:20, control = control),
    cv_share = function() cv_rowsparse(x, method = "css", repeats = 5, control = control),
    cv = function() cv_rowsparse(x, y, k = 1:20, method = "cdlsr", folds = 5, control = control)
  )
  c(fits, around, roles())
}

# roles of sets that are not the best ones, at a tolerance that leaves much to decide; called
# before, as what R compiles on the way would swallow a limit
roles <- function() {
  calls <- list(
    roles_fspca = function(seconds) {
      alternatives(x, 1:10, m = 3, tolerance = 0.02, sets = 100, seconds = seconds)
    },
    roles_cdlsr = function(seconds) {
      alternatives(x, 1:8, y, ridge = 1, tolerance = 0.02, sets = 100, seconds = seconds)
    },
    roles_css = function(seconds) {
      alternatives(x, 1:4, method = "css", m = Inf, tolerance = 0.05, seconds = seconds)
    },
    roles_alignment = function(seconds) {
      alternatives(x, 1:5, classes, method = "alignment", seconds = seconds)
    }
  )
  for (call in calls) for (again in 1:2) suppressWarnings(call(0.3))
  lapply(calls, function(call) function() call(10))
}

# sends SIGINT to this process a moment after the file is there
send_interrupt <- function(ready) {
  wait <- sprintf("while [ ! -e %s ]; do sleep 0.02; done; sleep 0.1", ready)
  system(sprintf("(%s; kill -INT %d) &", wait, Sys.getpid()))
}

# the condition that ends the repeated call; try() inside must not swallow it
ending <- function(call, ready = tempfile()) {
  tryCatch(
    {
      file.create(ready)
      repeat {
        outcome <- try(suppressWarnings(call()), silent = TRUE)
        if (inherits(outcome, "try-error")) break
      }
      attr(outcome, "condition")
    },
    interrupt = identity, error = identity
  )
}

report <- function(name, way, condition) {
  cat(name, way, class(condition)[1], conditionMessage(condition), sep = "\t")
  cat("\n")
}

todo <- entries()
for (name in names(todo)) {
  ready <- tempfile()
  send_interrupt(ready)
  report(name, "signal", ending(todo[[name]], ready))
  setTimeLimit(elapsed = 0.1, transient = TRUE)
  report(name, "limit", ending(todo[[name]]))
  setTimeLimit()
}
