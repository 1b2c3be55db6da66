core_ends_here()

test_that("workers must be those of BiocParallel", {
  set <- sample_matrix(20, 4)
  for (bad in list(2, "snow", list(), mean)) {
    expect_refused(moments(set, BPPARAM = bad), "type", "must be NULL or a BiocParallelParam")
    expect_refused(
      cv_rowsparse(set, set[, 1], k = 1:2, method = "cdlsr", BPPARAM = bad), "type", "`BPPARAM`"
    )
    expect_refused(tune_rowsparse(set, BPPARAM = bad), "type", "`BPPARAM`")
    expect_refused(kmeans_ufs(set, 2, BPPARAM = bad), "type", "`BPPARAM`")
    expect_refused(evaluate_features(1:2, set, gl(2, 10), BPPARAM = bad), "type", "`BPPARAM`")
    expect_refused(
      compare_methods(set, gl(2, 10), methods = "css", BPPARAM = bad), "type", "`BPPARAM`"
    )
  }
})

test_that("everything that maps gives the same with workers of BiocParallel", {
  skip_if_not_installed("BiocParallel")
  skip_if_not_installed("clue")
  skip_if_quick()
  set.seed(81)
  x <- sample_matrix(40, 6) + rep(c(0, 3), each = 20) %o% c(1, 1, 0, 0, 0, 0)
  y <- gl(2, 20)
  run <- function(BPPARAM) {
    set.seed(82)
    list(
      cv_rowsparse(x, y, k = 1:3, method = "cdlsr", folds = 5,
        BPPARAM = BPPARAM)[c("table", "foldid", "k")],
      tune_rowsparse(x, method = "variance", subsamples = 3, BPPARAM = BPPARAM)$table,
      kmeans_ufs(x, 2, 2, solver = "alternate", starts = 3, BPPARAM = BPPARAM)$selected,
      evaluate_features(1:3, x, y, k = 2, repeats = 3, random = 1, BPPARAM = BPPARAM),
      compare_methods(x, y, methods = "variance", k = 2, repeats = 3,
        BPPARAM = BPPARAM)[c("k", "acc_mean")],
      stats::runif(1)
    )
  }
  workers <- BiocParallel::SnowParam(2)
  BiocParallel::bpstart(workers)
  on.exit(BiocParallel::bpstop(workers))
  expect_identical(run(workers), run(NULL))
  expect_true(BiocParallel::bpisup(workers))
})

test_that("errors of an item keep their class on their way", {
  skip_if_not_installed("BiocParallel")
  skip_if_quick()
  workers <- BiocParallel::SnowParam(2)
  BiocParallel::bpstart(workers)
  on.exit(BiocParallel::bpstop(workers))
  item <- function(i) if (i == 2) rowsparse:::stop_rowsparse("range", "k", "is bad") else i
  environment(item) <- asNamespace("rowsparse")
  expect_identical(
    rowsparse:::apply_with_progress(list(1, 3), item, BPPARAM = workers), list(1, 3)
  )
  expect_refused(rowsparse:::apply_with_progress(1:3, item, BPPARAM = workers), "range", "`k`")
})

test_that("a worker that dies is told of by its class", {
  skip_if_not_installed("future.apply")
  skip_if_quick()
  skip_on_os("windows")
  item <- function(i) if (i == 2) tools::pskill(Sys.getpid(), 9) else i
  environment(item) <- baseenv()
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  # newer versions of future.apply warn beside the error
  expect_refused(suppressWarnings(rowsparse:::apply_with_progress(1:2, item)), "worker",
    "a worker that ended"
  )
})

test_that("the template for Slurm is filled in", {
  skip_if_not_installed("batchtools")
  skip_if_not_installed("brew")
  path <- system.file("templates", "slurm.tmpl", package = "rowsparse")
  fill <- function(resources, array.jobs = FALSE) {
    frame <- list2env(list(
      resources = resources, array.jobs = array.jobs, job.name = "job", log.file = "log",
      uri = "file.rds", jobs = data.frame(job = 1:3)
    ), parent = globalenv())
    utils::capture.output(brew::brew(path, envir = frame))
  }
  lines <- fill(list(walltime = 90, memory = 500, ncpus = 2), TRUE)
  expect_true(all(c(
    "#SBATCH --time=2", "#SBATCH --mem-per-cpu=500", "#SBATCH --cpus-per-task=2",
    "#SBATCH --array=1-3", "Rscript -e 'batchtools::doJobCollection(\"file.rds\")'"
  ) %in% lines))
  expect_false(any(grepl("^#SBATCH.*(partition|time)", fill(list()))))
  expect_identical(lines[1], "#!/bin/bash")
})

test_that("jobs of batchtools give the same moments", {
  skip_if_not_installed("batchtools")
  skip_if_not_installed("future.batchtools")
  skip_if_not_installed("future.apply")
  skip_if_quick()
  x <- sample_matrix(30, 4)
  blocks <- row_blocks(function(i) x[10 * (i - 1) + 1:10, ], c(10, 10, 10))
  environment(blocks$read) <- list2env(list(x = x), parent = baseenv())
  whole <- moments(blocks)
  folder <- tempfile("jobs")
  dir.create(folder)
  before <- setwd(folder)
  old <- future::plan(future.batchtools::batchtools_local)
  on.exit({
    future::plan(old)
    setwd(before)
    unlink(folder, recursive = TRUE)
  })
  expect_identical(moments(blocks), whole)
})
