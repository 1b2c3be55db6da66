core_ends_here()

test_that("workers must be those of BiocParallel", {
  set <- sample_matrix(20, 4)
  for (bad in list(2, "snow", list(), mean)) {
    expect_each_refused("type",
      "must be NULL or a BiocParallelParam" = moments(set, BPPARAM = bad),
      "`BPPARAM`" = cv_rowsparse(set, set[, 1], k = 1:2, method = "cdlsr", BPPARAM = bad),
      "`BPPARAM`" = kmeans_ufs(set, 2, BPPARAM = bad)
    )
  }
})

test_that("everything that maps gives the same with workers, and errors keep their class", {
  skip_if_not_installed("BiocParallel")
  skip_if_quick()
  skip_on_os("windows")
  x <- from_seed(81, sample_matrix(40, 6) + rep(c(0, 3), each = 20) %o% c(1, 1, 0, 0, 0, 0))
  y <- gl(2, 20)
  blocks <- in_blocks(x, c(1L, 20L, 9L, 10L))
  run <- function(BPPARAM) {
    set.seed(82)
    list(
      cv_rowsparse(x, y, k = 1:3, method = "cdlsr", folds = 5,
        BPPARAM = BPPARAM)[c("table", "foldid", "k")],
      kmeans_ufs(x, 2, 2, solver = "alternate", starts = 3, BPPARAM = BPPARAM)$selected,
      moments(blocks, y, gl(2, 1, 40), BPPARAM = BPPARAM),
      moments(blocks, rank = 3, BPPARAM = BPPARAM),
      stats::runif(1)
    )
  }
  workers <- BiocParallel::MulticoreParam(2)
  BiocParallel::bpstart(workers)
  on.exit(BiocParallel::bpstop(workers))
  expect_identical(run(workers), run(NULL))
  expect_true(BiocParallel::bpisup(workers))
  item <- function(i) if (i == 2) rowsparse:::stop_rowsparse("range", "k", "is bad") else i
  environment(item) <- asNamespace("rowsparse")
  expect_refused(rowsparse:::apply_with_progress(1:3, item, BPPARAM = workers), "range", "`k`")
  far <- in_blocks(replace(x, 55, NA), c(1L, 20L, 9L, 10L))
  expect_refused(moments(far, BPPARAM = workers), "nonfinite", "in block 2, the first at row 15")
})

test_that("processes that load the installed package give the same", {
  skip_if_not_installed("BiocParallel")
  skip_if_quick()
  skip_if(!nzchar(system.file("Meta", package = "rowsparse")), "the package is not installed")
  x <- sample_matrix(40, 6)
  read <- utils::removeSource(function(i) x[20 * (i - 1) + 1:20, ])
  environment(read) <- list2env(list(x = x), parent = globalenv())
  two <- BiocParallel::bpstart(BiocParallel::SnowParam(2))
  on.exit(BiocParallel::bpstop(two))
  run <- function(BPPARAM) {
    set.seed(82)
    list(
      moments(row_blocks(read, c(20, 20)), BPPARAM = BPPARAM),
      cv_rowsparse(x, gl(2, 20), k = 1:2, method = "cdlsr", folds = 3, BPPARAM = BPPARAM)$table
    )
  }
  expect_identical(run(two), run(NULL))
})

test_that("a worker that dies is told of by its class", {
  skip_if_not_installed("BiocParallel")
  skip_if_quick()
  skip_on_os("windows")
  item <- function(i) if (i == 2) tools::pskill(Sys.getpid(), 9) else i
  environment(item) <- baseenv()
  workers <- BiocParallel::MulticoreParam(2)
  expect_refused(suppressWarnings(rowsparse:::apply_with_progress(1:2, item, BPPARAM = workers)),
    "worker", "`BPPARAM` must have workers that last"
  )
})

# ---- progress ---------------------------------------------------------------------------

# what work in five steps of `seconds` by a clock of its own writes
bar_of <- function(seconds, run = function(step) {
  rowsparse:::apply_with_progress(1:5, function(i) step())
}) {
  progress <- rowsparse:::progress
  real <- progress$now
  time <- 0
  progress$now <- function() time
  old <- options(rowsparse.progress = TRUE)
  on.exit({
    options(old)
    progress$now <- real
  })
  step <- function() time <<- time + seconds
  paste(utils::capture.output(invisible(run(step)), type = "message"), collapse = "")
}

test_that("a bar is drawn for work of more than two seconds, once, and ends", {
  expect_identical(bar_of(0.3), "")
  told <- bar_of(3)
  expect_match(told, "20%.*100%")
  nested <- bar_of(3, function(step) {
    rowsparse:::apply_with_progress(1:5, function(i) {
      rowsparse:::apply_with_progress(1:5, function(j) step())
    })
  })
  expect_identical(lengths(regmatches(nested, gregexpr("100%", nested))), 1L)
  expect_error(bar_of(3, function(step) {
    rowsparse:::apply_with_progress(1:5, function(i) if (i == 4) stop("ends") else step())
  }), "ends")
  expect_false(rowsparse:::progress$inside)
  options(rowsparse.progress = NULL)
  expect_identical(utils::capture.output(
    rowsparse:::progress_bar(3)$step(), type = "message"
  ), character())
})

test_that("each pass over a source that takes long has its bar", {
  x <- sample_matrix(40, 6)
  told <- bar_of(3, function(step) {
    css(row_blocks(function(i) {
      step()
      x[10 * i - 9:0, ]
    }, rep(10, 4)), k = 2)
  })
  passes <- css(row_blocks(x, rows = 10), k = 2)$passes
  expect_identical(lengths(regmatches(told, gregexpr("100%", told))), as.integer(passes))
})

test_that("handlers of progressr are told instead", {
  skip_if_not_installed("progressr")
  x <- sample_matrix(60, 6)
  told <- character()
  hold_options(progressr.enable = TRUE)
  drawn <- bar_of(3, function(step) {
    progressr::with_progress(
      withCallingHandlers(variance(row_blocks(x, rows = 20)),
        progression = function(p) told <<- c(told, if (p$type == "update") p$message)
      ),
      handlers = progressr::handler_void()
    )
  })
  expect_identical(drawn, "")
  expect_identical(told, sprintf("pass 1, block %d", 1:3))
})
