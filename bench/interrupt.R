# How long a fit runs on after Ctrl-C: a second process sends the signal.
source(file.path("bench", "common.R"))
machine_line()

latency <- function(label, code) {
  sent <- Sys.time() + 2
  system(sprintf("(sleep 2; kill -INT %d) &", Sys.getpid()))
  outcome <- tryCatch(
    {
      force(code)
      "finished before"
    },
    interrupt = function(condition) "interrupted"
  )
  cat(sprintf("%-32s %s, %.2f s after the signal\n", label, outcome,
    as.numeric(difftime(Sys.time(), sent, units = "secs"))
  ))
}

endless <- rowsparse_control(tol = 0, maxit = 1e6, inner_tol = 0, inner_maxit = 1e6)
set.seed(1)
wide <- matrix(rnorm(1000 * 20000), 1000)
tall <- matrix(rnorm(4000 * 1500), 4000)
sparse <- Matrix::rsparsematrix(20000, 20000, 0.01)
latency("bsufs 1 000 x 20 000, mm", bsufs(wide, 10, control = endless))
latency("bsufs 1 000 x 20 000, rtr", bsufs(wide, 10, solver = "rtr", control = endless))
latency("bsufs 4 000 x 1 500, m = 50", bsufs(tall, 50, control = endless))
latency("bsufs sparse 20 000 x 20 000", bsufs(sparse, 10, control = endless))
