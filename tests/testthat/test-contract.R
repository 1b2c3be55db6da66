# What every method must do, asked of every descriptor: a new method is tested here by existing.
# ROWSPARSE_METHODS=a,b keeps to these.

descriptors <- function() tested_table()

is_supervised <- function(entry) entry$response == "needed"

# ---- the data, made once ---------------------------------------------------------------

contract_data <- local({
  set.seed(401)
  x <- sample_matrix(40, 14)
  x[, 1:4] <- x[, 1:4] + matrix(stats::rnorm(16), 4)[rep(1:4, length.out = 40), ]
  list(x = x, y = factor(rep(1:4, length.out = 40)))
})

response_of <- function(name, y) if (is_supervised(descriptors()[[name]])) y

contract_fit <- function(name, x = contract_data$x, y = contract_data$y, k = 4, ...) {
  set.seed(402)
  suppressMessages(suppressWarnings({
    rowsparse(x, response_of(name, y), k, name, family = family_of(name), ...)
  }))
}

# the fit of a method to the data as they are, which most tests compare others with
known_fits <- new.env()

known_fit <- function(name) {
  if (is.null(known_fits[[name]])) known_fits[[name]] <- contract_fit(name)
  known_fits[[name]]
}

# the pages of the sources, or of the installed package
help_pages <- function() {
  sources <- test_path("..", "..", "man")
  if (!dir.exists(sources)) {
    return(tools::Rd_db("rowsparse"))
  }
  lapply(list.files(sources, full.names = TRUE, pattern = "Rd$"), tools::parse_Rd)
}

# what matches the parts of a pattern, by part
parts_of <- function(pattern, text) {
  at <- gregexpr(pattern, text, perl = TRUE)[[1]]
  start <- attr(at, "capture.start")
  end <- start + attr(at, "capture.length") - 1L
  if (at[1] > 0L) lapply(seq_len(ncol(start)), function(i) substring(text, start[, i], end[, i]))
}

# calls as a page has them, in its usage or at the beginning of the section of a method
documented_calls <- function(page) {
  text <- paste(as.character(page), collapse = "")
  usage <- parts_of("(?s)\\\\usage\\{(.*?\n)\\}", text)[[1]]
  usage <- gsub("\\\\method\\{(.*?)\\}\\{(.*?)\\}", "\\1.\\2", usage, perl = TRUE)
  own <- parts_of("\\\\section\\{([A-Z0-9-]+)[^}]*\\}\\{\\s*\\\\verb\\{([^}]*)\\}", text)
  as.list(str2expression(c(gsub("\\dots", "...", usage, fixed = TRUE),
    if (!is.null(own)) sprintf("%s(%s)", chartr("-", "_", tolower(own[[1]])), own[[2]])
  )))
}

# the last number that is refused and the first that is taken, by argument, or method and argument
edges <- list(
  whole = list(c(0, 1), c("starts", "neighbours")), # how many
  at_least_one = list(c(1 - 1e-9, 1), c("rho", "r")), # factors, and powers of distances
  positive = list(c(0, 1e-8), c("beta1", "beta2", "mu", "sigma", "step", "lambda", "p",
    "jelsr alpha", "ndfs alpha", "rne alpha", "rufs alpha", "jelsr beta", "ndfs beta",
    "ndfs gamma", "sf2sog gamma", "ipfs ridge", "rufs t", "sogfs p")),
  # penalties that may be absent
  not_negative = list(c(-1e-300, 0), c("q", "certify", "cut", "eta", "lambda1", "lambda2", "mu1",
    "mu2", "nu", "ridge", "time_limit", "u", "zeta", "eufs alpha", "eufs beta", "gamma",
    "fen_pcafs lambda", "spcafs lambda", "fen_pcafs t", "bsufs p", "sigma_steps", "seed",
    "dscofs starts", "fspca starts")),
  two = list(c(1, 2), "tokens"),
  convex = list(c(1 + 1e-9, 1), c("p", "q", "bsufs p")), concave = list(c(2 + 1e-9, 2), "sogfs p")
)

test_that("numbers are taken to the edge of what has a meaning, and not beyond", {
  table <- descriptors()
  named <- unlist(lapply(edges, `[[`, 2))
  for (method in names(table)) for (argument in names(table[[method]]$rules)) {
    own <- paste(method, argument)
    rule <- table[[method]]$rules[[argument]]
    for (edge in edges) {
      here <- own %in% edge[[2]] || (argument %in% edge[[2]] && !own %in% named)
      if (!here) next
      expect_error(rule(edge[[1]][1], argument), class = "rowsparse_error", info = own)
      expect_equal(rule(edge[[1]][2], argument), edge[[1]][2], info = own)
    }
  }
})

test_that("every descriptor is complete, and its method documented", {
  tags <- unlist(help_pages(), recursive = FALSE)
  aliases <- unlist(Filter(function(part) identical(attr(part, "Rd_tag"), "\\alias"), tags))
  table <- descriptors()
  for (name in names(table)) {
    entry <- table[[name]]
    expect_true(name %in% aliases, info = name)
    for (text in c("title", "reference", "cost")) expect_type(entry[[text]], "character")
    expect_true(all(entry$input %in% c("dense", "sparse", "moments", "blocks")), info = name)
    expect_true("dense" %in% entry$input, info = name)
    expect_true(entry$family %in% rowsparse:::method_families, info = name)
    expect_true(all(entry$sees %in% rowsparse:::method_views), info = name)
    sizes <- entry$sizes
    expect_true(is.function(sizes) || sizes %in% c("nested", "path", "refit"), info = name)
    for (argument in c(entry$dimension, entry$penalty, entry$lowered, names(entry$defaults))) {
      expect_true(argument %in% names(formals(entry$fit)), info = paste(name, argument))
    }
    expect_identical(is.null(entry$penalty), is.null(entry$largest_penalty), info = name)
    expect_identical(names(formals(entry$fit))[1], "x", info = name)
    usual <- formals(entry$fit)$scale
    scaled <- is_supervised(entry) || name %in% c("kmeans_ufs", "sf2sog", "sogfs")
    if (is.logical(usual)) expect_identical(usual, scaled, info = name)
  }
  expect_true(all(names(table) %in% rowsparse_methods()$method))
})

test_that("defaults are those that the pages tell", {
  told <- unlist(lapply(help_pages(), documented_calls))
  usual <- function(value) if (length(value) > 1 && is.character(value[[2]])) value[[2]] else value
  words <- function(values) vapply(lapply(values[names(values) != ""], usual), deparse1, "")
  for (call in told) {
    name <- deparse1(call[[1]])
    entry <- descriptors()[[name]]
    own <- as.list(formals(if (is.null(entry)) get(name, asNamespace("rowsparse")) else entry$fit))
    shown <- words(as.list(call)[-1])
    expect_true(all(words(own)[names(shown)] == shown), info = name)
  }
  expect_gt(length(told), 70)
})

test_that("print, summary, plots, coef, predict and a table exist for every method", {
  data <- contract_data
  draw_nowhere()
  for (name in names(descriptors())) {
    fit <- known_fit(name)
    expect_match(utils::capture.output(print(fit))[1], name, info = name)
    expect_output(print(summary(fit)), name, info = name)
    for (type in c("scores", "objective")) expect_no_error(plot(fit, type = type))
    if (!is.null(fit$loadings)) expect_no_error(plot(fit, type = "loadings"))
    chosen <- stats::predict(fit, data$x, type = "features")
    expect_identical(colnames(chosen), colnames(data$x)[fit$selected], info = name)
    expect_identical(selected(fit, 4), colnames(data$x)[fit$selected], info = name)
    rows <- as.data.frame(fit)
    expect_identical(rows$index, fit$ranking, info = name)
    expect_identical(sum(rows$selected), 4L, info = name)
    kept <- unserialize(serialize(fit, NULL))
    expect_identical(selected(kept, 4), selected(fit, 4), info = name)
  }
})

test_that("no objective rises, but where its parameters change or it is one of a size", {
  may_rise <- c("alignment", "aw_spca", "cspca", "ipfs", "rpfs", "sogfs")
  for (name in setdiff(names(descriptors()), may_rise)) {
    objective <- known_fit(name)$objective
    expect_lte(max(diff(objective), -Inf), 1e-10 * max(abs(objective), 0), label = name)
  }
})

test_that("a fit is whole; one that is stopped says so, and is further from its end", {
  last <- function(fit) fit$objective[length(fit$objective)]
  for (name in names(descriptors())) {
    fit <- known_fit(name)
    expect_s3_class(fit, c(or_default(descriptors()[[name]]$class, name), "rowsparse"))
    expect_identical(fit$selected, fit$ranking[1:4], info = name)
    expect_true(fit$unique && all(is.finite(fit$scores)), info = name) # no features tie
    expect_whole(fit)
    set.seed(402)
    heard <- conditions_heard(suppressMessages(stopped <- rowsparse(contract_data$x,
      response_of(name, contract_data$y), 4, name, control = list(maxit = 1),
      family = family_of(name)
    )), "warning")
    expect_whole(stopped)
    told <- "rowsparse_warning_convergence" %in% unlist(lapply(heard, class))
    expect_identical(told, !stopped$converged, info = name)
    expect_identical(stopped$converged, stopped$status != "iteration limit reached", info = name)
    expect_gte(last(stopped), last(fit) - 1e-9 * abs(last(fit)), label = name)
    if (!is.na(fit$kkt) && name != "sogfs") expect_gte(stopped$kkt, fit$kkt, label = name)
    expect_true(told || fit$iterations < 3 || name %in% c("alignment", "ilfs"), info = name)
  }
})

test_that("the order of samples and the names of features do not matter, nor is a number drawn", {
  data <- contract_data
  table <- descriptors()
  set.seed(402)
  state <- .Random.seed
  shuffled <- c(seq(2, 40, 2), seq(1, 39, 2))
  for (name in names(table)) {
    if (table[[name]]$draws) next
    fit <- known_fit(name)
    again <- contract_fit(name, data$x[shuffled, ], data$y[shuffled])
    expect_identical(.Random.seed, state, info = name)
    expect_identical(again$selected, fit$selected, info = name)
    bare <- contract_fit(name, unname(data$x), data$y)
    expect_identical(bare$selected, fit$selected, info = name)
    expect_null(names(bare$scores), info = name)
  }
})

# what makes methods draw that may do without
drawing <- list(
  cdlsr = list(starts = 4), pgd = list(start = "random"), dscofs = list(start = "random"),
  rne = list(starts = 3), kmeans_ufs = list(solver = "alternate", starts = 4)
)

test_that("a seed governs all that is drawn, and leaves the generator alone", {
  for (name in names(Filter(function(entry) takes(entry, "seed"), descriptors()))) {
    given <- c(list(contract_data$x, response_of(name, contract_data$y), 4, name, seed = 7),
      drawing[[name]]
    )
    fits <- lapply(1:2, function(generator) {
      set.seed(generator)
      state <- .Random.seed
      fit <- suppressWarnings(do.call(rowsparse, given))
      expect_identical(.Random.seed, state, info = name)
      fit[c("scores", "objective", "starts", "start_objectives")]
    })
    expect_identical(fits[[1]], fits[[2]], info = name)
  }
})

# ---- ties ------------------------------------------------------------------------

# designs in which features tie, exactly or but for rounding
tied_designs <- function() {
  set.seed(405)
  wave <- stats::rnorm(9)
  main <- as.matrix(expand.grid(rep(list(c(-1, 1)), 4)))
  noise <- matrix(stats::rnorm(120), 20)
  list(
    circulant = t(vapply(0:8, function(i) wave[(0:8 - i) %% 9 + 1], wave)),
    permutation = diag(8)[c(3, 1, 8, 2, 7, 5, 4, 6), ],
    factorial = unname(cbind(main, main[, 1:2] * main[, 3:4])),
    binary = matrix(stats::rbinom(160, 1, 0.5), 16) + 0,
    integer = matrix(sample(-2:2, 160, TRUE), 20) + 0,
    copies = cbind(noise, noise[, 2:3])
  )
}

# the columns themselves, whatever their places
set_of_values <- function(x, columns) {
  sort(apply(x[, columns, drop = FALSE], 2, paste, collapse = " "))
}

tied_response <- function(name, n) {
  set.seed(406)
  if ("class" %in% descriptors()[[name]]$responses) sample(gl(2, n / 2, n)) else stats::rnorm(n)
}

test_that("the order of the columns changes no selection, whatever ties", {
  skip_if(Sys.getenv("ROWSPARSE_QUICK") == "true", "the order of columns under the checkers")
  designs <- tied_designs()
  for (name in names(descriptors())) {
    # a random start is what set.seed() gives for the columns as they stand
    if (name %in% c("rne", "rpfs")) next
    # ties by accident: one of two designs
    spared <- if (!is_slow()) c("binary", "integer")[1 + match(name, names(descriptors())) %% 2]
    for (design in setdiff(names(designs), spared)) {
      x <- designs[[design]]
      y <- tied_response(name, nrow(x))
      reference <- contract_fit(name, x, y, 3)
      orders <- list(c(seq(2, ncol(x), 2), seq(1, ncol(x), 2)), rev(seq_len(ncol(x))))
      for (order in if (is_slow()) orders else orders[1]) {
        fit <- contract_fit(name, x[, order], y, 3)
        expect_identical(set_of_values(x[, order], fit$selected),
          set_of_values(x, reference$selected),
          info = paste(name, design)
        )
        expect_identical(fit$unique, reference$unique, info = paste(name, design))
      }
    }
  }
})

test_that("constant data are refused by every method", {
  x <- matrix(rep(1:6, each = 12), 12) + 0
  for (name in names(descriptors())) {
    expect_error(contract_fit(name, x, gl(2, 6)), class = "rowsparse_error_constant", info = name)
  }
})

# ---- units, constants, locks, blocks, groups ------------------------------------------------

test_that("units of the data and of a response change no selection", {
  data <- contract_data
  for (name in names(descriptors())) {
    fit <- known_fit(name)
    for (unit in 2^c(400, -400)) {
      other <- contract_fit(name, data$x * unit)
      expect_identical(other$ranking, fit$ranking, info = paste(name, unit))
      # scores are sums of powers of the unit, of one power each
      ratio <- (other$scores / fit$scores)[fit$scores > 1e-6 * max(fit$scores)]
      if (name != "pgd") expect_lt(diff(range(ratio)), 1e-6 * max(ratio), label = name)
    }
    shifted <- contract_fit(name, data$x + 2^10)
    if (!identical(fit$parameters$style, "phi1")) {
      expect_identical(shifted$selected, fit$selected, info = paste(name, "mean"))
    }
  }
})

test_that("the parameters that a fit tells give it again, in the units of the data", {
  x <- 8 * contract_data$x
  for (name in setdiff(names(descriptors()), "crfs")) { # which tells the last of its sigmas
    fit <- contract_fit(name, x)
    own <- setdiff(intersect(names(fit$parameters), names(formals(descriptors()[[name]]$fit))), "k")
    told <- Filter(function(value) !is.null(value) && !anyNA(value), fit$parameters[own])
    given <- list(x = x, y = response_of(name, contract_data$y), k = 4, method = name)
    set.seed(402)
    again <- suppressMessages(suppressWarnings(do.call(rowsparse, c(given, told))))
    expect_equal(again$scores, fit$scores, tolerance = 1e-9, info = name)
  }
})

test_that("a response in other units selects the same", {
  set.seed(407)
  y <- contract_data$x[, 2] - contract_data$x[, 7] + stats::rnorm(40) / 4
  for (name in supervised_methods()) {
    if (!"numeric" %in% descriptors()[[name]]$responses) next
    fit <- contract_fit(name, y = y)
    for (unit in 2^c(-1000, -300, 660)) {
      other <- contract_fit(name, y = y * unit)
      expect_identical(other$selected, fit$selected, info = paste(name, unit))
      expect_equal(coef(other) / unit, coef(fit), tolerance = 1e-9, info = paste(name, unit))
    }
  }
})

test_that("constant features have score 0, come last, and change nothing for the others", {
  x <- contract_data$x
  with <- cbind(low = 3, x, high = -1e4)
  for (name in names(descriptors())) {
    fit <- known_fit(name)
    more <- contract_fit(name, with)
    expect_setequal(more$ranking[15:16], c(1L, 16L))
    expect_identical(unname(more$scores[c(1, 16)]), c(0, 0), info = name)
    # defaults that count features, and random starts, may change the order and the scores
    expect_setequal(more$selected, fit$selected + 1L)
    heard <- conditions_heard(suppressMessages({
      rowsparse(with, response_of(name, contract_data$y), 4, name, family = family_of(name))
    }), "warning")
    classes <- unlist(lapply(heard, class))
    expect_identical(sum(classes == "rowsparse_warning_constant"), 1L, info = name)
  }
})

test_that("without some features a fit is that of the others, and the indices are the whole's", {
  x <- contract_data$x
  out <- c(2L, 9L, 14L)
  left <- setdiff(1:14, out)
  holes <- x
  holes[, out] <- NA
  for (name in names(descriptors())) {
    plain <- contract_fit(name, x[, left])
    fit <- contract_fit(name, holes, exclude = colSums(is.na(holes)) > 0)
    expect_identical(fit$ranking, c(left[plain$ranking], out), info = name)
    expect_identical(fit$selected, left[plain$selected], info = name)
    expect_equal(fit$scores[left], plain$scores, tolerance = 1e-7, info = name)
    expect_identical(unname(fit$scores[out]), c(0, 0, 0), info = name)
    expect_identical(fit$feature_names, colnames(x), info = name)
    expect_identical(fit$excluded, out, info = name)
    elements <- setdiff(names(plain), c("call", "objective", "parameters"))
    sizes <- vapply(plain[elements], NROW, 0L)
    sizes[sizes == 11L] <- 14L
    expect_identical(vapply(fit[elements], NROW, 0L), sizes, info = name)
    if (!is.null(fit$loadings)) {
      expect_equal(abs(fit$loadings[left, ]), abs(plain$loadings[, ]), tolerance = 1e-5,
        info = name
      )
      expect_true(all(fit$loadings[out, ] == 0), info = name)
    }
    if (is_supervised(descriptors()[[name]])) {
      expect_equal(predict(fit, holes, type = "response"),
        predict(plain, x[, left], type = "response"), tolerance = 1e-6, info = name
      )
    }
    expect_output(print(fit), "3 features excluded", fixed = TRUE)
    expect_error(selected(fit, 12), class = "rowsparse_error_range", info = name)
  }
})

test_that("included features are always selected and lead the ranking, constant ones too", {
  x <- contract_data$x
  x[, 13] <- 7
  names <- colnames(x)
  into <- names[c(12, 13)]
  for (name in names(descriptors())) {
    entry <- descriptors()[[name]]
    expect_true(entry$include %in% c("given", "first", "none"), info = name)
    if (entry$include == "none") {
      expect_error(contract_fit(name, include = into), "`include`", info = name,
        class = "rowsparse_error_argument"
      )
      next
    }
    heard <- conditions_heard(fit <- suppressMessages({
      set.seed(402)
      rowsparse(x, response_of(name, contract_data$y), 4, name, include = into, exclude = names[1],
        family = family_of(name)
      )
    }), "warning")
    expect_true("rowsparse_warning_include" %in% unlist(lapply(heard, class)), info = name)
    expect_length(fit$selected, 4)
    expect_setequal(names[fit$ranking[1:2]], into)
    expect_true(all(into %in% selected(fit)) && !names[1] %in% selected(fit), info = name)
    expect_true(all(diff(fit$scores[fit$ranking]) <= 0) && !anyNA(fit$scores), info = name)
    expect_identical(sort(fit$included), 12:13, info = name)
    if ("k" %in% names(formals(entry$fit))) {
      expect_error(contract_fit(name, include = 1:5), class = "rowsparse_error_range", info = name)
    }
  }
})

test_that("a block is taken out of the data: differences between its levels change nothing", {
  x <- contract_data$x
  set.seed(408)
  block <- sample(gl(3, 14, 40))
  shifts <- matrix(sample(-64:64, 42, TRUE), 3)[block, ]
  y <- cbind(x[, 2] - x[, 7] + stats::rnorm(40))
  for (name in setdiff(names(descriptors()), "rowsparse_glm")) { # which refuses a block
    entry <- descriptors()[[name]]
    fit <- contract_fit(name, x, block = block)
    moved <- contract_fit(name, x + shifts, block = block)
    # rufs() factors the data less the smallest value of each column
    if (name != "rufs") expect_identical(moved$selected, fit$selected, info = name)
    if (name != "rufs" && !entry$draws) {
      expect_equal(moved$scores, fit$scores, tolerance = 1e-5, info = name)
    }
    # classes are no numbers that a block could be taken out of
    if (is_supervised(entry) && !"numeric" %in% entry$responses) next
    same <- list(list(x, y, block = block), list(adjusted(x, block), adjusted(y, block)))
    fits <- lapply(same, function(given) {
      do.call(contract_fit, c(name, given, if (takes(entry, "scale")) list(scale = FALSE)))
    })
    expect_identical(fits[[1]]$selected, fits[[2]]$selected, info = name)
    shares <- lapply(fits, function(fit) fit$scores / max(fit$scores))
    if (!entry$draws) expect_equal(shares[[1]], shares[[2]], tolerance = 1e-5, info = name)
  }
})

test_that("groups are taken as wholes, and groups of one column are the columns", {
  group <- rep(paste0("p", 1:7), each = 2)
  for (name in names(descriptors())) {
    if (!takes(descriptors()[[name]], "groups")) {
      expect_error(contract_fit(name, groups = group), class = "rowsparse_error", info = name)
      next
    }
    fit <- contract_fit(name, k = 3, groups = group)
    expect_length(selected(fit, groups = TRUE), 3)
    expect_setequal(fit$selected, which(group %in% selected(fit, groups = TRUE)))
    expect_equal(unname(fit$scores[c(TRUE, FALSE)]), unname(fit$scores[c(FALSE, TRUE)]))
    alone <- contract_fit(name, groups = paste0("p", 1:14))
    expect_setequal(alone$selected, known_fit(name)$selected)
  }
})

test_that("copies of what is selected are passed over where diverse features are asked for", {
  set.seed(409)
  x <- unname(contract_data$x[, 1:8])
  x <- cbind(x, x + stats::rnorm(320) / 1000)
  for (name in names(descriptors())) {
    fit <- contract_fit(name, x, diverse = 0.99)
    expect_identical(anyDuplicated((fit$selected - 1) %% 8), 0L, info = name)
    expect_identical(fit$ranking[1:4], fit$selected, info = name)
  }
})

# ---- bad input -----------------------------------------------------------------------------

# values that the argument of this name refuses in every method that has it, by class of error
bad_values <- function(x) {
  gap <- x
  gap[3, 2] <- NA
  list(
    x = list(type = letters, type = NULL, nonfinite = gap, type = Species ~ ., type = x + 0i),
    y = list(
      length = 1:3, type = NULL, nonfinite = c(NA, rep(1:3, 13)), type = mean,
      constant = rep("one", 40)
    ),
    k = list(range = 0, range = 15, range = 1.5, range = "a", range = NA),
    m = list(range = 0, range = 15, range = 1.5, range = "a"),
    clusters = list(range = 0, range = 41, range = "a"),
    neighbours = list(range = 0, range = 1.5, range = "a"),
    lambda = list(range = -1, range = "a", range = NA, range = Inf),
    gamma = list(range = -1, range = "a"), alpha = list(range = -1, range = "a"),
    beta = list(range = -1, range = "a"), ridge = list(range = -1),
    eta = list(range = -1), p = list(range = -1, range = 3), rho = list(range = 0.5),
    seed = list(range = -1, range = 1.5), step = list(range = 0),
    solver = list(choice = "none", choice = 1), weights = list(choice = "none"),
    metric = list(choice = "none"), style = list(choice = "none"), shape = list(choice = "none"),
    mutual = list(type = NA, type = "a"),
    scale = list(type = NA, type = "a", type = c(TRUE, FALSE)),
    start = list(any = mean), t = list(range = -1),
    control = list(type = 1, control = list(none = 1)),
    include = list(names = "none", names = 15, type = 1.5),
    exclude = list(names = "none", range = 1:14, length = c(TRUE, FALSE)),
    block = list(length = gl(2, 2), type = mean), groups = list(groups = 1:3)
  )
}

# a call of the method itself that would succeed
sound_arguments <- function(entry) {
  given <- list(x = contract_data$x, y = contract_data$y, k = 4)
  if (!is_supervised(entry)) given$y <- NULL
  given$family <- family_of(entry$name)
  given[names(given) %in% names(formals(entry$fit))]
}

test_that("bad values are refused by class, and the argument is named", {
  bad <- bad_values(contract_data$x)
  for (name in names(descriptors())) {
    entry <- descriptors()[[name]]
    arguments <- intersect(names(bad), names(formals(entry$fit)))
    if (!is_supervised(entry)) arguments <- setdiff(arguments, "y")
    # weights of samples, where a method has no graph
    if (entry$weighted) arguments <- setdiff(arguments, "weights")
    for (argument in arguments) {
      for (at in seq_along(bad[[argument]])) {
        given <- sound_arguments(entry)
        given[argument] <- bad[[argument]][at]
        error <- tryCatch(
          suppressMessages(suppressWarnings(do.call(entry$fit, given, quote = TRUE))),
          error = identity
        )
        info <- paste(name, argument, at)
        wanted <- paste0("rowsparse_error_", names(bad[[argument]])[at])
        if (wanted == "rowsparse_error_any") wanted <- "rowsparse_error"
        told <- if (inherits(error, "error")) conditionMessage(error)
        named <- grepl(sprintf("`%s`", argument), told, fixed = TRUE)
        expect_true(inherits(error, wanted) && named,
          info = paste(c(info, class(error), told), collapse = " ")
        )
      }
    }
  }
})

core_ends_here()

# ---- every kind of data with every option -------------------------------------------------------

# What the plain matrix gives, or an error with a class that says what to do instead. Each method
# meets every second kind, with an option each; the slow tests cross all three.
grid_data <- function(n = 24, d = 8) {
  set.seed(20)
  type <- gl(3, 8, labels = c("a", "b", "c"))
  x <- matrix(stats::rnorm(n * d), n) * rep(stats::runif(d, 0.5, 2), each = n)
  x[, 1:3] <- x[, 1:3] + outer(as.integer(type), c(1, -1, 2))
  x[stats::runif(n * d) < 0.3] <- 0
  colnames(x) <- paste0("g", seq_len(d))
  list(
    x = x, type = type, batch = factor(rep(c("u", "v"), 12)), weight = rep(c(1, 2, 0.5), 8),
    kept = c(1:7, 9:15, 17:23)
  )
}

# what a call with the option gets beside the data, and the samples that are left
grid_options <- list(
  none = list(), block = list(block = "batch"), diverse = list(diverse = TRUE),
  include = list(include = 7), exclude = list(exclude = c(2, 5)), scale = list(scale = TRUE),
  weights = list(weights = "weight"), subset = list(subset = "kept")
)

general <- function(x) methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")

table_of <- function(...) methods::as(data.frame(...), "DataFrame")

# An experiment with tables of its features and its samples
grid_experiment <- function(values, data, names, make) {
  out <- make(list(logcounts = unname(values)),
    rowData = table_of(symbol = rep_len(c("A", "B"), nrow(values)), index = 1),
    colData = table_of(type = data$type, batch = data$batch, weight = data$weight)
  )
  rownames(out) <- names
  out
}

# the kinds: a list of `of`, the class of data that descriptors speak of, and `x`
grid_kinds <- function(data, folder) {
  x <- data$x
  kind <- function(of, x, experiment = FALSE) list(of = of, x = x, experiment = experiment)
  sparse <- general(x)
  plain <- unname(x)
  kinds <- list(
    frame = kind("dense", as.data.frame(x)),
    dgC = kind("sparse", sparse),
    dgR = kind("sparse", methods::as(sparse, "RsparseMatrix")),
    dgT = kind("sparse", methods::as(sparse, "TsparseMatrix")),
    blocks = kind("blocks", row_blocks(x, rows = 7)),
    sparse_blocks = kind("blocks", row_blocks(sparse, rows = 10)),
    files = kind("blocks", row_blocks(rds_files(x, c(9, 15), folder))),
    reader = kind("blocks",
      row_blocks(function(block) x[(block - 1) * 8 + 1:8, ], rows = rep(8, 3))
    )
  )
  if (requireNamespace("tibble", quietly = TRUE)) {
    kinds$tibble <- kind("dense", tibble::as_tibble(x))
  }
  if (requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    plainly <- SummarizedExperiment::SummarizedExperiment
    kinds$experiment <- kind("dense", grid_experiment(t(x), data, colnames(x), plainly), TRUE)
    kinds$experiment_blocks <- kind("blocks", row_blocks(kinds$experiment$x, rows = 9))
    kinds$unnamed <- kind("dense", grid_experiment(t(x), data, NULL, plainly), TRUE)
    kinds$sparse_experiment <- kind("sparse",
      grid_experiment(Matrix::t(sparse), data, colnames(x), plainly), TRUE
    )
  }
  if (requireNamespace("SingleCellExperiment", quietly = TRUE)) {
    twice <- c("g1", "g1", colnames(x)[-(1:2)])
    kinds$cells <- kind("dense",
      grid_experiment(t(x), data, twice, SingleCellExperiment::SingleCellExperiment), TRUE
    )
    kinds$sparse_cells <- kind("sparse", grid_experiment(Matrix::t(sparse), data, twice,
      SingleCellExperiment::SingleCellExperiment), TRUE)
  }
  if (requireNamespace("HDF5Array", quietly = TRUE)) {
    kinds$hdf5 <- kind("dense", hdf5_matrix(x, file.path(folder, "x.h5")))
    kinds$hdf5_blocks <- kind("blocks", row_blocks(kinds$hdf5$x, rows = 10))
    turned <- hdf5_matrix(t(plain), file.path(folder, "t.h5"))
    named <- t(hdf5_matrix(t(x), file.path(folder, "n.h5")))
    kinds$hdf5_turned <- kind("dense", named)
    kinds$hdf5_turned_blocks <- kind("blocks", row_blocks(named, rows = 10))
    kinds$hdf5_experiment <- kind("dense",
      grid_experiment(turned, data, colnames(x), SummarizedExperiment::SummarizedExperiment), TRUE
    )
  }
  kinds$moments <- kind("moments", NULL)
  kinds
}

# ---- calls ------------------------------------------------------------------------------

# its own warnings are no matter here, others are
outcome_of_call <- function(call) {
  set.seed(3)
  tryCatch(
    withCallingHandlers(suppressMessages(call()),
      rowsparse_warning = function(w) tryInvokeRestart("muffleWarning")
    ),
    rowsparse_error = identity
  )
}

# the options of a call as this kind of data takes them: names of columns, or the columns
option_values <- function(data, option, by_name) {
  given <- grid_options[[option]]
  for (name in intersect(names(given), c("block", "weights", "subset"))) {
    if (name == "subset" || !by_name) given[[name]] <- data[[given[[name]]]]
  }
  given
}

matrix_call <- function(data, method, option) {
  entry <- rowsparse:::method_table()[[method]]
  given <- option_values(data, option, FALSE)
  rows <- or_default(given$subset, seq_len(nrow(data$x)))
  given$subset <- NULL
  given$x <- data$x[rows, ]
  if (needs_response(entry)) given$y <- data$type[rows]
  given$family <- family_of(method)
  function() do.call(rowsparse, c(given, list(k = 3, method = method)))
}

kind_call <- function(data, kind, method, option) {
  entry <- rowsparse:::method_table()[[method]]
  given <- option_values(data, option, kind$experiment)
  given$x <- kind$x
  if (kind$of == "moments") {
    own <- list(x = data$x, block = given$block, weights = given$weights)
    if (needs_response(entry)) own$y <- data$type
    given[c("block", "weights")] <- NULL
    given$x <- do.call(moments, own)
  } else if (needs_response(entry)) {
    given$y <- if (kind$experiment) "type" else data$type
  }
  given$family <- family_of(method)
  function() do.call(rowsparse, c(given, list(k = 3, method = method)))
}

# may this method refuse this kind of data with this option?
may_refuse <- function(method, kind, option) {
  entry <- rowsparse:::method_table()[[method]]
  !kind$of %in% entry$input || (option == "subset" && !kind$experiment) ||
    (option == "weights" && kind$of == "blocks")
}

# says what to do: more than the rule and what was found
names_way_out <- function(error) {
  text <- conditionMessage(error)
  grepl("[.] [A-Z`]", text) || grepl("; (pass|use|give|these are|take)|must be left out|take them",
    text
  )
}

is_refused <- function(outcome) inherits(outcome, "rowsparse_error")

# where one or both of them are refused
compared_refusals <- function(found, wanted, kind, method, option) {
  if (is_refused(wanted)) {
    # weights that only moments carry
    may_take <- is_refused(found) || (option == "weights" && kind$of == "moments")
    return(if (!may_take) "taken, where the matrix is refused")
  }
  if (!may_refuse(method, kind, option)) {
    return(paste("refused:", conditionMessage(found)))
  }
  if (!names_way_out(found)) paste("no way out:", conditionMessage(found))
}

# NULL where all is well, else what is not
compared <- function(found, wanted, kind, method, option) {
  if (!kind$of %in% rowsparse:::method_table()[[method]]$input && !is_refused(found)) {
    return("taken, and not by its descriptor")
  }
  if (is_refused(found) || is_refused(wanted)) {
    return(compared_refusals(found, wanted, kind, method, option))
  }
  if (!identical(sort(found$ranking), seq_along(found$scores))) {
    return("ranking is no permutation")
  }
  if (!kind$experiment && !identical(names(found$scores), names(wanted$scores))) {
    return("other names")
  }
  # moments may tell less of features that serve as well
  if (kind$of == "moments" && isFALSE(wanted$unique)) {
    return(NULL)
  }
  if (!identical(found$selected, wanted$selected)) {
    return(sprintf("selects %s, not %s", toString(found$selected), toString(wanted$selected)))
  }
  if (!isTRUE(all.equal(unname(found$scores), unname(wanted$scores), tolerance = 1e-5))) {
    return(sprintf("scores %s, not %s", toString(signif(found$scores, 4)),
      toString(signif(wanted$scores, 4))
    ))
  }
  NULL
}

run_grid <- function(data, kinds, methods, pairs) {
  wrong <- character()
  wanted <- list()
  for (at in seq_len(nrow(pairs))) {
    method <- pairs$method[at]
    option <- pairs$option[at]
    kind <- kinds[[pairs$kind[at]]]
    cell <- paste(method, option)
    if (is.null(wanted[[cell]])) {
      wanted[[cell]] <- outcome_of_call(matrix_call(data, method, option))
    }
    found <- outcome_of_call(kind_call(data, kind, method, option))
    told <- compared(found, wanted[[cell]], kind, method, option)
    if (!is.null(told)) wrong <- c(wrong, sprintf("%s, %s: %s", pairs$kind[at], cell, told))
  }
  wrong
}

test_that("every method gives of every kind of data what it gives of the matrix", {
  data <- grid_data()
  folder <- tempfile("grid")
  dir.create(folder)
  kinds <- grid_kinds(data, folder)
  on.exit(unlink(folder, recursive = TRUE))
  methods <- tested_methods()
  pairs <- expand.grid(method = methods, kind = names(kinds), option = names(grid_options),
    stringsAsFactors = FALSE
  )
  if (!is_slow()) {
    # a method meets four options, a kind of data all of them; and all methods three kinds as such
    m <- match(pairs$method, methods)
    kind <- match(pairs$kind, names(kinds))
    option <- (m %/% 3L + (kind %/% 3L) %% 4L) %% length(grid_options) + 1L
    usual <- pairs$option == "none" & pairs$kind %in% c("dgC", "blocks", "moments")
    some <- (m + kind) %% 3L == 0L & pairs$option == names(grid_options)[option]
    pairs <- pairs[usual | some, ]
  }
  expect_identical(run_grid(data, kinds, methods, pairs), character())
})

test_that("symmetric and logical sparse matrices are the matrices that they stand for", {
  data <- grid_data()
  square <- crossprod(data$x)
  flags <- general(data$x) != 0
  for (method in tested_methods()) {
    entry <- rowsparse:::method_table()[[method]]
    same <- function(x, plain, y, ...) {
      given <- list(k = 3, method = method, family = family_of(method), ...)
      if (needs_response(entry)) given$y <- y
      found <- outcome_of_call(function() do.call(rowsparse, c(list(x = x), given)))
      wanted <- outcome_of_call(function() do.call(rowsparse, c(list(x = plain), given)))
      kind <- list(of = "sparse", experiment = FALSE)
      expect_null(compared(found, wanted, kind, method, "none"), info = method)
    }
    # on eight samples the steps of rne() take rounding to other local minima
    if (method != "rne") same(Matrix::Matrix(square, sparse = TRUE), square, gl(2, 4))
    same(methods::as(flags, "lMatrix"), as.matrix(flags) + 0, data$type, scale = FALSE)
  }
})
