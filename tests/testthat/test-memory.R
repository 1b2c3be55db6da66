# What a fit takes, and the refusal of what is too large

fit_bytes_of <- function(name, n, d, ..., kind = "dense") {
  entry <- method_table()[[name]]
  stored <- switch(kind, dense = n * d, sparse = n * d / 20, moments = d^2)
  s <- list(
    kind = kind, n = n, d = d, stored = stored, sparse = kind == "sparse", tall = n, levels = 1,
    quick = FALSE
  )
  fit_bytes(entry, complete_sizes(s, entry, list(...)))
}

core_ends_here()

test_that("more samples, features and selected ones never take less, whatever the data", {
  for (name in tested_methods()) {
    for (kind in setdiff(tested_table()[[name]]$input, "blocks")) {
      size <- function(n, d, k) fit_bytes_of(name, n, d, k = k, kind = kind)
      small <- size(3000, 2000, 20)
      expect_true(is.finite(small) && small > 0, info = paste(name, kind))
      for (larger in c(size(24000, 2000, 20), size(3000, 16000, 20), size(3000, 2000, 40))) {
        # another route or graph may be the cheaper one of larger data, by a little
        expect_gte(larger, 0.99 * small, label = paste(name, kind))
      }
    }
  }
})

test_that("every method refuses before any work what the memory does not hold", {
  x <- sample_matrix(40, 30)
  y <- factor(rep(1:4, 10))
  hold_options(rowsparse.memory = NULL)
  for (name in setdiff(tested_methods(), c("variance", "ftest", "pgd"))) {
    entry <- tested_table()[[name]]
    given <- list(k = 5, m = 3, clusters = 3, y = if (entry$response == "needed") y,
      family = family_of(name)
    )
    given <- given[names(given) %in% names(formals(entry$fit)) & lengths(given) > 0]
    sizes <- c(list(name, 40, 30), given[setdiff(names(given), "y")], list(classes = 4))
    bytes <- do.call(fit_bytes_of, sizes)
    for (share in c(0.6, 1.6)) {
      options(rowsparse.memory = share * bytes)
      end <- tryCatch(suppressWarnings(do.call(entry$fit, c(list(x), given))), error = identity)
      expect_identical(inherits(end, "rowsparse_error_memory"), share < 1,
        info = paste(name, share)
      )
    }
  }
})

test_that("the refusal names ways out that fit", {
  hold_options(rowsparse.memory = 2.5e6)
  expect_refused(eufs(sample_matrix(300, 400)), "memory", "select features first (at most 50)")
  options(rowsparse.memory = 8e6)
  error <- tryCatch(eufs(sample_matrix(300, 1600)), error = conditionMessage)
  most <- as.integer(sub(".*at most ([0-9]+).*", "\\1", error))
  fit <- suppressWarnings(eufs(sample_matrix(300, most), control = rowsparse_control(maxit = 2)))
  expect_s3_class(fit, "eufs")
  # where no other kind of data has room either
  options(rowsparse.memory = 9.7e5)
  expect_refused(lapscore(sample_matrix(300, 400)), "memory", "0.0 GB; choose another method")
})

test_that("more samples than a method serves are refused by their number", {
  expect_refused(jelsr(matrix(sin(1:15003), 5001)), "time", "at most 5,000")
  hold_options(rowsparse.samples = 50)
  x <- sample_matrix(60, 12)
  expect_refused(rowsparse(x, k = 3, method = "sf2sog"), "time", "or set options(rowsparse.samples")
  options(rowsparse.samples = Inf)
  expect_s3_class(suppressWarnings(sf2sog(x, 3)), "sf2sog")
})
