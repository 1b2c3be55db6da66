# What a fit will take: the sums behind rowsparse_cost() and behind refusals.
method_cost <- function(x, method = NULL, y = NULL, m = NULL, ...) {
  as.data.frame(rowsparse_cost(x, y, method = method, m = m, ...))
}

table_of_methods <- tested_table()
all_methods <- rowsparse:::method_table()

cost_of <- function(name, n, d, ..., kind = "dense") {
  entry <- c(list(name = name), all_methods[[name]])
  stored <- switch(kind, dense = n * d, sparse = n * d / 20, moments = d^2)
  s <- rowsparse:::complete_sizes(rowsparse:::sizes_seen(kind, n, d, stored), entry, list(...))
  rowsparse:::method_needs(entry, s)
}

core_ends_here()

test_that("every method says what it needs, finite and not negative, for every kind of data", {
  table <- table_of_methods
  for (name in names(table)) {
    expect_true(is.function(table[[name]]$needs), info = name)
    expect_true(rowsparse:::is_count(table[[name]]$iterations), info = name)
    for (kind in setdiff(table[[name]]$input, "blocks")) {
      needs <- cost_of(name, 300, 200, k = 10, kind = kind)
      expect_identical(names(needs), c("memory", "seconds"), info = paste(name, kind))
      expect_true(all(is.finite(needs)) && all(needs >= 0), info = paste(name, kind))
      expect_gt(needs[["memory"]], 0)
    }
  }
})

test_that("more samples, features and selected ones never need less", {
  size <- function(...) cost_of(..., control = list(maxit = 5))
  for (name in names(table_of_methods)) {
    for (n in c(100, 20000)) {
      small <- size(name, n, 2000, k = 20)
      # another route or graph may be the cheaper one of larger data, by a little
      expect_true(all(size(name, 8 * n, 2000, k = 20) >= 0.99 * small), info = paste(name, n))
      expect_true(all(size(name, n, 8 * 2000, k = 20) >= 0.99 * small), info = paste(name, n))
      expect_true(all(size(name, n, 2000, k = 40) >= small), info = paste(name, n))
    }
  }
})

test_that("work is done again and again in the same room", {
  one <- rowsparse:::room(1) + rowsparse:::work(products = 6e10, numbers = 1e9)
  expect_equal(rowsparse:::repeated(one, 5), c(memory = 8, seconds = 20))
  # iterations that the caller limits
  expect_lt(
    cost_of("rfs", 100, 1000, control = list(maxit = 9))[["seconds"]],
    cost_of("rfs", 100, 1000)[["seconds"]]
  )
})

test_that("exchanges and certificates of fspca() count where they are asked for", {
  size <- c(n = 1000, d = 5000)
  usual <- method_cost(size, "fspca")
  updates <- method_cost(size, "fspca", solver = "go")
  proved <- method_cost(size, "fspca", certify = TRUE)
  expect_lt(updates$seconds, usual$seconds)
  expect_identical(method_cost(size, "fspca", solver = "exchange"), usual)
  expect_identical(method_cost(size, "fspca", certify = FALSE), usual)
  expect_identical(updates$memory_gb, usual$memory_gb)
  expect_gt(proved$memory_gb - usual$memory_gb, 0.2)
})

test_that("the table tells the route, what was assumed and what the data take", {
  found <- method_cost(c(n = 1000, d = 200), c("css", "variance", "fspca"), k = 10)
  expect_identical(found$method, c("css", "variance", "fspca"))
  expect_identical(found$route, rep("memory", 3))
  expect_true(all(is.na(found$passes)))
  expect_equal(found$data_gb, rep(1000 * 200 * 8 / 1e9, 3))
  expect_identical(found$m, c(15, NA, 15))
  expect_identical(found$iterations, c(NA, NA, 20))
  expect_identical(method_cost(c(n = 1000, d = 200), "fspca", m = 4, k = 10)$m, 4)
  expect_identical(method_cost(c(n = 1000, d = 200), "kmeans_ufs", m = 4, k = 10)$m, 4)
  limited <- rowsparse_control(maxit = 3)
  expect_identical(method_cost(c(n = 1000, d = 200), "fspca", control = limited)$iterations, 3)
  batches <- method_cost(c(n = 1000, d = 200), "variance", block = rep(1:500, 2))
  alone <- method_cost(c(n = 1000, d = 200), "variance")
  expect_equal(batches$memory_gb - alone$memory_gb, 499 * 200 * 8 / 1e9)
  few <- method_cost(list(n = 1000, d = 200, density = 0.1), "fspca")
  expect_equal(few$data_gb, (12 * 20000 + 4 * 201) / 1e9)
  all <- method_cost(c(n = 1000, d = 200), "all")
  expect_setequal(all$method, names(Filter(function(entry) {
    entry$response != "needed"
  }, rowsparse:::method_table())))
  with <- method_cost(c(n = 1000, d = 200), "all", y = 3)
  expect_identical(nrow(with), nrow(rowsparse_methods()))
  expect_identical(method_cost(c(n = 1000, d = 200))$method, "alignment")
  expect_identical(method_cost(moments(sample_matrix(20, 5)), k = 2)$method, "css")
  expect_identical(method_cost(moments(sample_matrix(20, 5)), k = 2)$route, "moments")
})

test_that("a response counts by its classes or columns, whatever it is", {
  x <- sample_matrix(30, 6)
  classes <- factor(rep(1:3, 10))
  seconds <- function(y) rowsparse_cost(x, y, 2, "ftest")$table$seconds
  expect_identical(seconds(classes), seconds(3))
  expect_identical(seconds(as.character(classes)), seconds(3))
  expect_identical(seconds(as.integer(classes)), seconds(1)) # numbers are no classes
  expect_identical(seconds(cbind(x[, 1], x[, 2])), seconds(2))
  expect_identical(seconds(x[, 1]), seconds(1))
})

test_that("no value of the data is read", {
  broken <- matrix(NA_real_, 30, 6)
  expect_identical(
    method_cost(broken, "css", k = 2)[1:5], method_cost(c(n = 30, d = 6), "css", k = 2)[1:5]
  )
  asked <- integer()
  x <- sample_matrix(90, 6)
  blocks <- row_blocks(function(i) {
    asked <<- c(asked, i)
    if (i > 1) stop("not to be read")
    x[30 * (i - 1) + 1:30, ]
  }, c(30, 30, 30))
  found <- method_cost(blocks, c("css", "alignment"), k = 2)
  expect_identical(asked, 1L)
  expect_identical(found$route, rep("passes", 2))
  expect_true(all(found$passes >= 1))
  sparse <- row_blocks(methods::as(x * (x > 1), "CsparseMatrix"), rows = 30)
  expect_match(
    utils::capture.output(print(rowsparse_cost(sparse, method = "css", k = 2)))[1], "in row blocks"
  )
  expect_identical(method_cost(as.data.frame(broken), "css", k = 2)$data_gb, 30 * 6 * 8 / 1e9)
})

test_that("refusal and estimate agree, for every method", {
  x <- sample_matrix(40, 30)
  y <- factor(rep(1:4, 10))
  old <- options(rowsparse.memory = NULL)
  on.exit(options(old))
  for (name in names(table_of_methods)) {
    entry <- table_of_methods[[name]]
    arguments <- list(x, y = if (entry$response == "needed") y)
    arguments <- arguments[lengths(arguments) > 0]
    if (rowsparse:::takes(entry, "k")) arguments$k <- 5
    for (argument in c("m", "clusters")) {
      if (rowsparse:::takes(entry, argument)) arguments[[argument]] <- 3
    }
    if (rowsparse:::takes(entry, "control")) arguments$control <- rowsparse_control(maxit = 2)
    asked <- arguments[setdiff(names(arguments), c("", "y", "k"))]
    if (rowsparse:::takes(entry, "solver")) asked$solver <- eval(formals(entry$fit)$solver)[1]
    told <- function() do.call(method_cost, c(list(x, name, arguments$y, k = 5), asked))
    options(rowsparse.memory = NULL)
    bytes <- 1e9 * told()$memory_gb
    for (share in c(0.5, 0.95, 1.01)) {
      # less is refused when the data are read
      options(rowsparse.memory = max(share * bytes, 8 * length(x)))
      set.seed(1)
      end <- tryCatch(suppressWarnings(do.call(entry$fit, arguments)), error = identity)
      expect_identical(inherits(end, "rowsparse_error_memory"), told()$route == "too large",
        info = paste(name, share)
      )
    }
  }
})

test_that("where a fit is too large the ways out are named, and fit", {
  old <- options(rowsparse.memory = 16e9, rowsparse.seconds = Inf)
  on.exit(options(old))
  found <- method_cost(c(n = 1e6, d = 5000), c("css", "jelsr", "eufs"))
  expect_identical(found$route, rep("too large", 3))
  expect_match(found$way_out[1], "moments() of blocks of rows", fixed = TRUE)
  expect_match(found$way_out[1], "row_blocks()", fixed = TRUE)
  expect_match(found$way_out[1], "sparse matrix")
  expect_match(method_cost(c(n = 1e5, d = 2000), "jelsr")$way_out, "choose another method")
  wide <- method_cost(c(n = 100, d = 60000), "ipfs", y = 2)
  most <- as.numeric(gsub(",", "", sub(".*at most about ([0-9,]+).*", "\\1", wide$way_out)))
  expect_identical(method_cost(c(n = 100, d = most), "ipfs", y = 2)$route, "memory")
  expect_identical(
    method_cost(c(n = 100, d = 1.3 * most), "ipfs", y = 2)$route, "too large"
  )
  printed <- utils::capture.output(print(rowsparse_cost(c(n = 1e6, d = 5000), method = "css")))
  expect_true(any(grepl("would not fit into 16.0 GB", printed)))
})

test_that("memory estimates are near what child processes take at their peak", {
  skip_slow()
  # elsewhere nothing tells the peak of a process
  if (file.access("/proc/self/clear_refs", 2) != 0) {
    return(expect_identical(cost_of("css", 100, 50)[["memory"]] > 0, TRUE))
  }
  x <- sample_matrix(800, 600)
  file <- tempfile(fileext = ".rds")
  script <- tempfile(fileext = ".R")
  on.exit(unlink(c(file, script)))
  saveRDS(x, file)
  writeLines(c(
    "given <- commandArgs(TRUE)",
    "library(rowsparse)",
    "x <- readRDS(given[1])",
    "status <- function(what) {",
    "  line <- grep(what, readLines(\"/proc/self/status\"), value = TRUE)",
    "  1024 * as.numeric(gsub(\"[^0-9]\", \"\", line))",
    "}",
    "suppressWarnings(rowsparse(x[1:40, 1:20], k = 3, method = given[2]))",
    "invisible(gc(full = TRUE))",
    "cat(\"5\", file = \"/proc/self/clear_refs\")",
    "before <- status(\"VmRSS\")",
    "fit <- suppressWarnings(rowsparse(x, k = 20, method = given[2]))",
    "cat(\"peak\", status(\"VmHWM\") - before, \"\\n\")"
  ), script)
  for (name in intersect(c("css", "ndfs"), names(table_of_methods))) {
    lines <- run_child(script, file, name)
    peak <- as.numeric(sub("peak ", "", grep("^peak", lines, value = TRUE)))
    expect_length(peak, 1)
    told <- 1e9 * method_cost(x, name, k = 20)$memory_gb
    expect_gt(told, peak / 3)
    expect_lt(told, peak * 3)
  }
})

test_that("large fits say so first when they are verbose, small ones do not", {
  x <- sample_matrix(30, 6)
  said <- character()
  hear <- function(code) {
    withCallingHandlers(suppressWarnings(code), message = function(m) {
      said <<- c(said, conditionMessage(m))
      invokeRestart("muffleMessage")
    })
  }
  hear(css(x, 2, control = rowsparse_control(verbose = TRUE)))
  expect_false(any(grepl("beyond the data", said)))
  expect_message(rowsparse:::announce("css", rowsparse:::room(2.5e8)),
    "css: about < 0.1 s and 2.0 GB beyond the data"
  )
  expect_silent(rowsparse:::announce("css", rowsparse:::room(2.5e7)))
})

test_that("bad requests are refused", {
  size <- c(n = 100, d = 20)
  expect_refused(rowsparse_cost("no data"), "type", "`x`")
  expect_refused(rowsparse_cost(c(n = 1, d = 20)), "range", "`n`")
  expect_refused(rowsparse_cost(c(n = 100, d = 20, p = 3)), "argument", "density")
  expect_refused(rowsparse_cost(c(n = 100, d = 20, density = 2)), "range", "`density`")
  expect_refused(rowsparse_cost(size, method = "nothing"), "choice", "`method`")
  expect_refused(rowsparse_cost(size, method = 3), "choice", "`method`")
  expect_refused(rowsparse_cost(size, method = "rfs"), "type", "`y`")
  expect_refused(rowsparse_cost(size, k = 21), "range", "`k`")
  expect_refused(rowsparse_cost(size, method = "css", m = -1), "range", "`m`")
  expect_refused(rowsparse_cost(size, method = "css", speed = 1), "argument", "`speed`")
  expect_refused(rowsparse_cost(size, method = "css", solver = 3), "choice", "`solver`")
  expect_refused(
    rowsparse_cost(size, method = "css", control = list(speed = 1)), "control", "speed"
  )
  expect_refused(
    rowsparse_cost(moments(sample_matrix(20, 5)), method = "ndfs", k = 2), "type", "samples"
  )
  expect_refused(rowsparse_cost(y ~ x), "type", "takes formulas")
  expect_refused(
    rowsparse_cost(sample_matrix(9, 3), method = "rfs", y = 1:4 + 0.5, k = 2), "length", "`y`"
  )
  changed <- rowsparse_cost(size)
  changed$table <- 1
  expect_refused(print(changed), "object", "`table`")
})

test_that("words for times and memory", {
  words <- rowsparse:::time_words
  expect_identical(vapply(c(0.01, 2.345, 240, 7300, 3e5), words, ""),
    c("< 0.1 s", "2.3 s", "4 min", "2 h", "3.5 days")
  )
  expect_identical(vapply(c(1e3, 5e7, 2.5e9), rowsparse:::memory_words, ""),
    c("< 1 MB", "50 MB", "2.5 GB")
  )
  sorted <- summary(rowsparse_cost(c(n = 1000, d = 200), method = "all"))
  expect_false(is.unsorted(sorted$table$seconds))
})

test_that("expression objects and delayed matrices are looked at from outside", {
  skip_if_not_installed("SummarizedExperiment")
  counts <- matrix(stats::rpois(600, 2), 20, dimnames = list(paste0("g", 1:20), NULL))
  object <- SummarizedExperiment::SummarizedExperiment(list(counts = counts))
  found <- rowsparse_cost(object, k = 3)
  expect_identical(found$sizes$n, 30)
  expect_identical(found$sizes$d, 20)
  expect_identical(found$table$method, "fspca")
  # with the settings of the default
  asked <- rowsparse_cost(object, k = 3, method = "fspca", solver = "go")
  expect_identical(found$table, asked$table)
  skip_if_not_installed("DelayedArray")
  delayed <- DelayedArray::DelayedArray(matrix(1, 40, 10))
  expect_identical(method_cost(delayed, "css", k = 3)$route, "memory")
  old <- options(rowsparse.memory = 1e4)
  on.exit(options(old))
  expect_identical(rowsparse_cost(delayed, method = "css", k = 3)$sizes$kind, "blocks")
})

test_that("alternatives count what they hold beside the fit, and are refused by the same sums", {
  for (method in c("fspca", "css", "alignment")) {
    alone <- method_cost(c(n = 100, d = 400), method, k = 10)
    more <- method_cost(c(n = 100, d = 400), method, k = 10, alternatives = TRUE)
    expect_gte(more$memory_gb, alone$memory_gb)
    expect_gte(more$seconds, alone$seconds)
  }
  expect_error(rowsparse_cost(c(n = 100, d = 40), k = 2, alternatives = 1),
    class = "rowsparse_error_type"
  )
  set.seed(66)
  x <- sample_matrix(30, 40)
  fit <- fspca(x, k = 3, m = 2)
  needs <- 1e9 * method_cost(x, "fspca", k = 3, m = 2, alternatives = TRUE)$memory_gb
  old <- options(rowsparse.memory = 0.9 * needs)
  on.exit(options(old))
  expect_error(alternatives(x, fit), class = "rowsparse_error_memory")
})

test_that("a fit that would take too long is refused before any work, with the way out", {
  old <- options(rowsparse.memory = 1e12, rowsparse.seconds = NULL)
  on.exit(options(old))
  told <- method_cost(c(n = 20000, d = 30), c("sf2sog", "jelsr", "cspca"))
  expect_identical(told$route, c("too long", "too long", "memory"))
  expect_match(told$way_out[1], "at most about [0-9,]+ of the samples")
  most <- as.numeric(gsub(",", "", sub(".*about ([0-9,]+) of the.*", "\\1", told$way_out[1])))
  expect_identical(method_cost(c(n = most, d = 30), "sf2sog")$route, "memory")
  x <- sample_matrix(60, 12)
  options(rowsparse.seconds = 1e-9)
  expect_refused(sf2sog(x, 3), "time", "or set options(rowsparse.seconds = Inf)")
  expect_refused(rowsparse(x, k = 3, method = "jelsr"), "time", "of one processor")
  expect_identical(method_cost(x, "jelsr", k = 3)$route, "too long")
  expect_output(print(rowsparse_cost(x, k = 3, method = "jelsr")), "of the samples|another method")
  options(rowsparse.seconds = Inf)
  expect_s3_class(suppressWarnings(sf2sog(x, 3)), "sf2sog")
  expect_identical(method_cost(c(n = 20000, d = 30), "jelsr")$route, "memory")
})

test_that("a sparse assay in a file is counted by what it stores, samples in columns", {
  skip_if_not_installed("DelayedArray")
  skip_if_not_installed("SummarizedExperiment")
  set.seed(4)
  counts <- Matrix::rsparsematrix(50, 300, 0.1, rand.x = function(n) sample.int(9, n, TRUE))
  counts[1, ] <- 1
  x <- SummarizedExperiment::SummarizedExperiment(list(counts = DelayedArray::DelayedArray(counts)))
  sizes <- function() rowsparse_cost(x, method = "fspca", solver = "go", k = 3)$sizes
  stored <- Matrix::nnzero(counts)
  small <- sizes()
  expect_identical(small$kind, "sparse")
  expect_equal(c(small$n, small$d), c(300, 50))
  expect_equal(small$stored, stored, tolerance = 0.5)
  # no quarter of this holds what is stored, but as packed counts it does
  old <- options(rowsparse.memory = 8 * 4 * stored)
  on.exit(options(old))
  large <- sizes()
  expect_identical(large$kind, "blocks")
  expect_equal(c(large$n, large$d), c(300, 50))
  expect_true(rowsparse:::look_at_sizes(x, NULL)$quick)
  expect_false(rowsparse:::look_at_sizes(x, "counts")$quick)
})
