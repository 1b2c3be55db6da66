skip_if_not_installed("clue")

some_sets <- function(n = 90) {
  set.seed(1)
  lapply(c(banana = "banana", moons = "two_moons", diamonds = "diamond9"), simulate_shapes, n = n)
}

compare_some <- function(sets = some_sets(), methods = c("variance", "css"), seed = 2, ...) {
  force(sets)
  set.seed(seed)
  compare_methods(sets, methods = methods, k = c(1, 3), repeats = 3, random = 2, ...)
}

without_seconds <- function(result) result[names(result) != "elapsed"]

core_ends_here()

test_that("every method has a row for every data set and size, as if it were alone", {
  sets <- some_sets()
  result <- compare_some(sets)
  expect_s3_class(result, c("method_comparison", "feature_evaluation"), exact = FALSE)
  expect_identical(nrow(result), 18L)
  expect_identical(unique(result$data), names(sets))
  expect_identical(unique(result$method), c("variance", "css", "random"))
  expect_identical(result$runs, rep(rep(c(3L, 3L, 6L), each = 2), 3))
  expect_true(all(result$note == ""))
  expect_true(all(is.na(result$elapsed) == (result$method == "random")))
  # neither what else is compared nor the order matters
  part <- compare_some(sets[3:2], c("css", "bsufs"))
  both <- merge(without_seconds(part), without_seconds(result), by = c("data", "method", "k"))
  expect_identical(nrow(both), 8L)
  for (name in c("acc_mean", "acc_sd", "nmi_mean", "nmi_sd")) {
    expect_identical(both[[paste0(name, ".x")]], both[[paste0(name, ".y")]])
  }
})

test_that("scores are those of k-means from the starts that the seed gives", {
  set <- some_sets()["moons"]
  result <- compare_some(set, "css")
  set.seed(2)
  samples <- rowsparse:::read_samples(set$moons$x)
  seed <- rowsparse:::seed_of(rowsparse:::draw_seed(),
    rowsparse:::checksum(list(samples, set$moons$y))
  )
  set.seed(seed)
  alone <- evaluate_features(css(set$moons$x, 3)$ranking, set$moons$x, set$moons$y, c(1, 3), 3)
  columns <- c("k", "runs", "acc_mean", "acc_sd", "nmi_mean", "nmi_sd")
  expect_equal(result[result$method == "css", columns], alone[columns], ignore_attr = TRUE)
})

test_that("the generator is left where one draw leaves it", {
  compare_some()
  after <- .Random.seed
  set.seed(2)
  sample.int(.Machine$integer.max, 1L)
  expect_identical(.Random.seed, after)
})

test_that("a method that fails does not stop the others, and says why", {
  sets <- some_sets()
  methods <- list(
    good = function(x) order(-apply(x, 2, var)), short = 1:2,
    bad = function(x) if (x[1, 1] == sets$moons$x[1, 1]) stop("no moons") else 1:3,
    warner = function(x) {
      warning("be careful")
      1:3
    }
  )
  result <- suppressWarnings(compare_some(sets, methods), classes = "rowsparse_warning_failed")
  expect_warning(compare_some(sets["moons"], methods), "1 of 5 selections failed (bad on moons)",
    fixed = TRUE, class = "rowsparse_warning_failed"
  )
  of <- function(method, data) result[result$method == method & result$data == data, ]
  expect_true(all(is.na(of("bad", "moons")$acc_mean)))
  expect_identical(of("bad", "moons")$note, rep("no moons", 2))
  expect_false(anyNA(of("bad", "banana")$acc_mean))
  expect_identical(is.na(of("short", "moons")$acc_mean), c(FALSE, TRUE))
  expect_identical(of("short", "moons")$note[1], "2 features only")
  expect_identical(of("warner", "moons")$note[1], "be careful")
  expect_false(anyNA(of("warner", "moons")$acc_mean))
  expect_output(print(result), "bad on moons: no moons")
  # missing scores are refused, last, or left out with their methods
  expect_refused(friedman_nemenyi(result), "nonfinite", "`incomplete`")
  last <- friedman_nemenyi(result, incomplete = "last")$block_ranks
  expect_identical(unname(last["moons", c("bad", "short")]), c(4.5, 4.5))
  expect_true(all(last[, "short"] >= 4.5))
  fewer <- friedman_nemenyi(result, incomplete = "omit")
  expect_setequal(names(fewer$ranks), c("good", "warner", "random"))
  means <- summary(result)$methods
  expect_identical(means$failed[match(c("bad", "short", "good"), means$method)], c(1, 3, 0))
  expect_identical(means$acc_mean[means$method == "short"], NA_real_)
})

test_that("a time limit ends one fit only", {
  slow <- function(x) {
    while (TRUE) sqrt(2)
  }
  result <- suppressWarnings(compare_some(some_sets()[1:2], list(slow = slow, good = 1:3),
    time_limit = 0.5
  ))
  expect_true(all(result$note[result$method == "slow"] == "time limit of 0.5 s"))
  expect_identical(is.na(result$acc_mean), result$method == "slow")
})

test_that("what is in the store is not made again, unless it is of other data or settings", {
  store <- file.path(tempfile("store"), "inner")
  sets <- some_sets()[1:2]
  calls <- 0
  methods <- list(counted = function(x) {
    calls <<- calls + 1
    order(-apply(x, 2, var))
  })
  run <- function(sets, ..., k = c(1, 3)) {
    compare_methods(sets, methods = methods, k = k, repeats = 3, random = 2, store = store, ...)
  }
  first <- run(sets)
  expect_identical(calls, 2)
  expect_setequal(list.files(store, recursive = TRUE), c("seed.rds",
    outer(c("banana", "moons"), c("counted.rds", "random.rds"), file.path)
  ))
  # whatever the generator is at
  set.seed(77)
  expect_identical(run(sets), first)
  expect_identical(calls, 2)
  sets$moons$x[1, 1] <- sets$moons$x[1, 1] + 1
  expect_message(second <- run(sets), "2 of 4 results in the store are of other data or settings",
    class = "rowsparse_message_stale"
  )
  expect_identical(calls, 3)
  expect_identical(second[second$data == "banana", ], first[first$data == "banana", ])
  expect_message(run(sets, k = 1:2), "4 of 4 results", class = "rowsparse_message_stale")
  expect_identical(calls, 5)
  # another function under the same name
  methods$counted <- function(x) 1:9
  expect_message(run(sets, k = 1:2), "2 of 4 results", class = "rowsparse_message_stale")
  expect_identical(calls, 5)
})

test_that("what does not fit in the store is made again, and said", {
  store <- tempfile("store")
  run <- function(...) {
    compare_methods(some_sets()["moons"], methods = c("variance", "css"), k = c(1, 3),
      repeats = 3, store = store, ...
    )
  }
  first <- run()
  file <- file.path(store, "moons", "css.rds")
  good <- readRDS(file)
  bytes <- readBin(file, "raw", 1e6)
  # changes one part; `part` may be several levels deep
  with_part <- function(part, value) {
    good[[part]] <- value
    good
  }
  found <- list(
    bytes[seq_len(length(bytes) / 2)], raw(0), charToRaw("hello"), NULL, 1:3, "text", mean, iris,
    list(), list(key = good$key), unname(good), good[-2], with_part("rows", 1:3),
    with_part("rows", good$rows[1, ]), with_part("rows", iris), with_part("note", NULL),
    with_part("note", NA), with_part("failed", 3), with_part("elapsed", "long"),
    with_part("time_limit", NA)
  )
  for (at in seq_along(found)) {
    if (is.raw(found[[at]])) writeBin(found[[at]], file) else saveRDS(found[[at]], file)
    expect_warning(again <- run(), "1 file in the store cannot be read as what it should hold",
      class = "rowsparse_warning_store"
    )
    expect_identical(without_seconds(again), without_seconds(first), info = at)
    expect_no_warning(expect_identical(run(), again))
  }
  # the number that all draws follow from
  writeBin(as.raw(1:5), file.path(store, "seed.rds"))
  expect_warning(run(), "seed.rds", class = "rowsparse_warning_store")
  expect_no_warning(run())
})

test_that("a write that fails is an error and leaves what was there", {
  skip_slow()
  skip_on_os("windows")
  script <- test_path("children", "full_disk.R")
  store <- tempfile("store")
  expect_identical(run_child(script, store, 10, "once", 20), "done")
  file <- list.files(store, "talks", recursive = TRUE, full.names = TRUE)
  before <- tools::md5sum(file)
  # a file may take 32 blocks of 512 or 1024 bytes: there is room for all but the long note
  limited <- function(...) {
    rscript <- paste(shQuote(file.path(R.home("bin"), "Rscript")), "--vanilla", shQuote(script))
    system2("sh", c("-c", shQuote(paste("trap '' XFSZ; ulimit -f 32;", rscript, ...))),
      stdout = TRUE, env = c(
        paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep))), "LANGUAGE=en"
      )
    )
  }
  ended <- limited(shQuote(store), 200000, "refit", 20)
  expect_identical(ended[1], "rowsparse_error_store")
  expect_match(ended[2], "`store` must be a folder that takes the results; got \"talks.rds\"")
  expect_identical(tools::md5sum(file), before)
  expect_setequal(basename(list.files(store, recursive = TRUE)), c("talks.rds", "seed.rds"))
  # with room for it
  expect_identical(limited(shQuote(store), 100, "refit", 20), "done")
  expect_false(tools::md5sum(file) == before)
  # none for the data themselves, whose checksum is taken from a file
  ended <- limited(shQuote(store), 100, "refit", 20000)
  expect_identical(ended[1], "rowsparse_error_store")
  expect_match(ended[2], "`tempdir\\(\\)` must take the data")
})

test_that("where the name of a result is taken by a folder the write is refused", {
  store <- tempfile("store")
  dir.create(file.path(store, "moons", "variance.rds", "full"), recursive = TRUE)
  run <- function() {
    compare_methods(some_sets()["moons"], methods = "variance", k = 1, repeats = 2, store = store)
  }
  expect_warning(expect_refused(run(), "store", "could not be written"),
    class = "rowsparse_warning_store"
  )
})

test_that("names of data sets that no file can have are kept under others", {
  store <- tempfile("store")
  sets <- some_sets()[c(1, 2, 2)]
  names(sets) <- c(strrep("a", 400), paste0(strrep("a", 399), "b"), "na\xefve / ..")
  calls <- 0
  methods <- list(counted = function(x) {
    calls <<- calls + 1
    1:3
  })
  run <- function() compare_methods(sets, methods = methods, k = 1:2, repeats = 2, store = store)
  first <- run()
  expect_identical(calls, 3)
  expect_identical(run(), first)
  expect_identical(calls, 3)
  one <- function() {
    compare_methods(sets[[1]]$x, sets[[1]]$y, methods = "variance", k = 1, repeats = 2,
      store = store,
      data = strrep("b", 400)
    )
  }
  expect_identical(one(), one())
})

test_that("failures are tried again, those at the limit when it is raised", {
  store <- tempfile("store")
  calls <- 0
  fails <- TRUE
  methods <- list(shaky = function(x) {
    calls <<- calls + 1
    if (fails) stop("not yet")
    1:3
  }, slow = function(x) {
    calls <<- calls + 1
    while (TRUE) sqrt(2)
  })
  run <- function(limit) {
    suppressWarnings(compare_some(some_sets()["moons"], methods, store = store,
      time_limit = limit
    ))
  }
  run(0.5)
  expect_identical(calls, 2)
  fails <- FALSE
  result <- run(0.5)
  expect_identical(calls, 3)
  expect_false(anyNA(result$acc_mean[result$method == "shaky"]))
  run(0.6)
  expect_identical(calls, 4)
})

test_that("methods that choose exactly k are asked again for every k", {
  set <- some_sets()["moons"]
  once <- compare_some(set, c("fspca", "variance"))
  again <- compare_some(set, c("fspca", "variance"), refit = TRUE)
  set.seed(2)
  seed <- rowsparse:::draw_seed()
  by_hand <- compare_some(set, list(
    one = rowsparse(set$moons$x, k = 1, method = "fspca")$selected,
    three = rowsparse(set$moons$x, k = 3, method = "fspca")$selected
  ))
  expect_equal(again$acc_mean[again$method == "fspca"],
    c(by_hand$acc_mean[by_hand$method == "one" & by_hand$k == 1],
      by_hand$acc_mean[by_hand$method == "three" & by_hand$k == 3])
  )
  expect_equal(again$acc_mean[again$method == "variance"], once$acc_mean[once$method == "variance"])
})

test_that("one data set with a store has the same columns as several", {
  set <- some_sets()$moons
  store <- tempfile("store")
  run <- function(...) {
    set.seed(3)
    compare_methods(set$x, set$y, methods = "css", k = 1:2, repeats = 2, data = "moons", ...)
  }
  several <- compare_methods(list(moons = set), methods = "css", k = 1:2, repeats = 2)
  expect_identical(names(run(store = store)), names(several))
  expect_identical(run(store = store), run(store = store))
  expect_false("note" %in% names(run()))
  # a requested size that cannot be served is refused for one, and left out of several
  expect_refused(
    compare_methods(set$x, set$y, methods = "css", k = 99, refit = TRUE), "range", "`k`"
  )
  expect_identical(
    unique(compare_methods(list(moons = set), methods = "css", k = c(2, 99), repeats = 2)$k), 2L
  )
  expect_identical(
    compare_methods(list(moons = set), methods = "css", k = c(3, 1, 3), repeats = 2)$k, c(3L, 1L)
  )
})

test_that("lists of data sets are checked before any work", {
  sets <- some_sets()
  refused <- function(sets, subclass, text, ...) {
    expect_refused(compare_methods(sets, methods = "css", ...), subclass, text)
  }
  refused(list(), "type", "`x` must be data, or a list of data sets")
  refused(unname(sets), "type", "with different names")
  refused(sets[c(1, 1)], "type", "with different names")
  refused(list(a = sets$moons$x), "type", "`x$a` must be a list with elements x and y")
  refused(list(a = list(x = sets$moons$x)), "type", "`x$a`")
  refused(sets, "argument", "`y` must be left out where `x` is a list", y = 1)
  refused(sets, "argument", "`data` must be left out", data = "a")
  sets$moons$y <- sets$moons$y[-1]
  refused(sets, "length", "In data set \"moons\": `y`")
  sets <- some_sets()
  refused(sets, "type", "`store` must be the name of a folder", store = 1)
  refused(sets, "type", "`store` must be a folder that can be written to",
    store = file.path(tempdir(), "file.txt", if (file.create(file.path(tempdir(), "file.txt"))) "a")
  )
  refused(sets, "range", "`time_limit`", time_limit = 0)
  refused(sets, "type", "`refit`", refit = NA)
  refused(sets, "range", "`k`", k = 0)
  expect_refused(compare_methods(sets, methods = "nothing"), "choice", "`methods`")
  expect_refused(compare_methods(sets$moons$x, methods = "css"), "missing", "`y` must be given")
})

test_that("ranks, wins and means of the summary are those of the table", {
  result <- compare_some(methods = c("variance", "css", "cdlsr"))
  told <- summary(result)
  expect_s3_class(told, "summary.method_comparison")
  cell <- tapply(result$nmi_mean, list(result$data, result$method), mean)
  cell <- cell[unique(result$data), told$methods$method]
  expect_equal(told$methods$nmi_mean, unname(colMeans(cell)))
  expect_equal(told$methods$nmi_rank, unname(colMeans(t(apply(-cell, 1, rank)))))
  expect_equal(told$nmi_ranks[, told$methods$method], t(apply(-cell, 1, rank)))
  expect_false(is.unsorted(told$methods$acc_rank))
  expect_equal(sum(told$methods$acc_wins), 3)
  expect_identical(told$methods$acc_wins[told$methods$method == "random"], 0)
  test <- friedman_nemenyi(result)
  expect_equal(test$ranks[told$methods$method], told$methods$acc_rank, ignore_attr = TRUE)
  expect_equal(test$block_ranks, told$acc_ranks[, names(test$ranks)])
  accuracy <- tapply(result$acc_mean, list(result$data, result$method), mean)
  above <- colMeans(accuracy > accuracy[, "random"])[told$methods$method]
  above["random"] <- NA
  expect_equal(told$methods$above_random, unname(above))
  by_size <- tapply(result$acc_mean, list(result$method, result$k), mean)
  best <- c(1, 3)[apply(by_size, 1, which.max)]
  expect_equal(told$methods$k_best, best[match(told$methods$method, rownames(by_size))])
  expect_output(print(told), "4 methods on 3 data sets")
  expect_output(print(result), "4 methods on 3 data sets")
  # one data set prints as before
  expect_output(print(result[result$data == "moons", ]), "k-means on the selected features: acc")
})

test_that("blocks of a test are data sets with their mean or best, or all sizes", {
  result <- compare_some()
  mean_of <- tapply(result$acc_mean, list(result$data, result$method), mean)
  best_of <- tapply(result$acc_mean, list(result$data, result$method), max)
  expect_equal(friedman_nemenyi(result)$ranks, friedman_nemenyi(mean_of)$ranks)
  expect_equal(friedman_nemenyi(result, sizes = "best")$ranks, friedman_nemenyi(best_of)$ranks)
  expect_identical(friedman_nemenyi(result, sizes = "each")$blocks, 6L)
  expect_refused(friedman_nemenyi(result, sizes = "all"), "choice", "`sizes`")
  expect_refused(friedman_nemenyi(result, incomplete = "all"), "choice", "`incomplete`")
})

test_that("checksums tell objects apart, and only by their contents", {
  checksum <- rowsparse:::checksum
  x <- matrix(stats::rnorm(3e4), 100)
  expect_identical(checksum(x), checksum(x + 0))
  expect_false(checksum(x) == checksum(replace(x, 29999, x[29999] + 1e-12)))
  expect_false(checksum(x) == checksum(t(x)))
  # compact and expanded sequences are one vector
  expect_identical(checksum(1:10), checksum(c(1L, 2:10)))
  many <- vapply(1:500, function(i) checksum(i), "")
  expect_identical(anyDuplicated(many), 0L)
  names <- vapply(c("a", "a b", "a/b", "a_b", ".hidden"), rowsparse:::file_name, "")
  expect_identical(anyDuplicated(names), 0L)
  expect_true(all(grepl("^[A-Za-z0-9_][A-Za-z0-9_.-]*$", names)))
})
