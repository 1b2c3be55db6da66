# What ends a call from outside, seen from a child process (see
# children/interrupt.R): every method, path, tuning and cross-validation.
core_ends_here()

test_that("an interrupt stays an interrupt and a time limit its own error", {
  skip_on_cran()
  skip_on_os("windows")
  skip_slow()
  output <- run_child(test_path("children", "interrupt.R"))
  endings <- utils::read.delim(text = output, header = FALSE, quote = "",
    col.names = c("name", "way", "class", "message")
  )
  expect_setequal(endings$name, c(rowsparse_methods()$method, "starts", "path", "path_k",
    "cv_share", "cv", "roles_fspca", "roles_cdlsr", "roles_css", "roles_alignment"
  ))
  # a failure shows what ended these instead
  wrong <- ifelse(endings$way == "signal", endings$class != "interrupt",
    endings$class != "simpleError" | !grepl("reached elapsed time limit", endings$message)
  )
  expect_identical(do.call(paste, endings[wrong, ]), character(0))
})

# A time limit is noticed where interrupts are: in the same poll of the core.
limited <- function(code) {
  setTimeLimit(elapsed = 0.2, transient = TRUE)
  on.exit(setTimeLimit())
  tryCatch({
    force(code)
    "not stopped"
  }, error = conditionMessage)
}

test_that("a time limit stops one long computation, and the session goes on", {
  x <- from_seed(71, sample_matrix(60, 300))
  endless <- rowsparse_control(tol = 0, maxit = 1e6, inner_tol = 0, inner_maxit = 1e6)
  for (solver in c("mm", "rtr", "pencf")) {
    expect_match(limited(bsufs(x, 3, solver = solver, control = endless)),
                 "reached elapsed time limit")
  }
  expect_true(bsufs(x, 3)$converged)
  expect_match(limited(rfs(x, x[, 1] + sin(1:60), control = endless)), "elapsed time limit")
})

test_that("a stopped call leaves nothing behind", {
  skip_on_cran()
  skip_if_quick()
  x <- from_seed(72, sample_matrix(100, 400, 40, 1))
  y <- stats::rnorm(100)
  several <- function() cdlsr(x, y, 3, start = "random", starts = 20)
  set.seed(1)
  before <- several()
  for (again in 1:3) {
    expect_match(limited(cdlsr(x, y, 30, start = "random", starts = 5000)),
      "reached elapsed time limit"
    )
    set.seed(1)
    after <- several()
    expect_identical(after$ranking, before$ranking)
    expect_identical(after$objective, before$objective)
  }
})

# seconds of the processor: other work on the machine is not the call's
test_that("limits of time are kept, whatever the data and the question", {
  skip_on_cran()
  skip_slow()
  x <- from_seed(73, Matrix::rsparsematrix(300, 1500, 0.1))
  y <- factor(sample(letters[1:3], 300, TRUE))
  calls <- list(
    function(x, s) cdlsr(x, y, 8, solver = "exact", time_limit = s),
    function(x, s) cdlsr(x, y, 3, solver = "exact", groups = rep(1:500, 3), time_limit = s),
    function(x, s) css(x, 5, m = Inf, solver = "exact", time_limit = s),
    function(x, s) fspca(x, 8, 3, solver = "exact", time_limit = s),
    function(x, s) alternatives(x, 1:8, y = y, method = "cdlsr", seconds = s),
    function(x, s) alternatives(x, 1:4, method = "css", m = Inf, seconds = s),
    function(x, s) alternatives(x, 1:8, method = "fspca", m = 3, seconds = s),
    function(x, s) alternatives(x, 1:8, y = y, method = "alignment", seconds = s)
  )
  for (data in list(x, row_blocks(x, rows = 100))) {
    for (call in calls) {
      for (limit in c(0, 0.5, 2)) {
        time <- system.time(suppressMessages(suppressWarnings(call(data, limit))), gcFirst = FALSE)
        expect_lte(sum(time[1:2]), limit + 1, label = paste(deparse(body(call)), limit))
      }
    }
  }
})
