#' Memory and time of a fit
#'
#' Estimates, before anything is computed, how a method would process the data, the number of
#' passes if they are read in blocks, the memory and the approximate time. Of `x` only the sizes
#' and the number of stored values are used.
#'
#' @section Routes:
#' \describe{
#'   \item{memory}{the data are in memory and stay there}
#'   \item{moments}{from [moments()], for any number of samples}
#'   \item{passes}{from [row_blocks()], or a `DelayedMatrix` of more than a quarter of the
#'     memory: `passes` is the largest number of times that all rows are read. One block is in
#'     memory}
#'   \item{too large}{the fit would need more memory than the machine has and is refused;
#'     `print()` and the column `way_out` name an alternative that fits: a sparse matrix, moments,
#'     row blocks, fewer features}
#'   \item{too long}{the fit would take more than an hour of one processor and is refused, before
#'     any work; `way_out` gives a number of samples within the limit}
#' }
#'
#' A fit is refused by the same computation: the memory given here and in an error of class
#' `rowsparse_error_memory` always agree. `options(rowsparse.memory = )`, in bytes, replaces the
#' memory of the machine. In the same way the error of class `rowsparse_error_time` uses the
#' seconds given here; `options(rowsparse.seconds = )` replaces the limit of 3600, `Inf` for none.
#'
#' @section How far to trust it:
#' The memory is the peak that the method allocates in addition to `x`. It is counted, and correct
#' within a factor of about two if the data take more than a few megabytes.
#'
#' The time is the arithmetic of the method for these sizes, with its usual number of iterations
#' on real data, at the speed of a common machine. Expect the right order of magnitude: seconds or
#' hours. `Rscript bench/cost.R` of the sources compares estimates and measurements.
#'
#' @param x Data as for [rowsparse()], or, before there are data, their sizes: `c(n = , d = )`,
#'   with `density = ` (share of values that are not zero) for a sparse matrix.
#' @param y Response of supervised methods, of which only the number of classes or columns
#'   counts; or that number.
#' @param k Number of features to select.
#' @param method Names of methods, see [rowsparse_methods()], or `"all"` for all methods that take
#'   such data. `NULL`: the default of [rowsparse()].
#' @param m Dimension of the subspace or number of clusters. `NULL`: where the method would choose
#'   it from the data, 15 is assumed, the most that real data usually need.
#' @param ... Further arguments of the methods. Those used here are `clusters`, `neighbours`,
#'   `solver`, `landmarks` and `control` (`maxit` and `threads`).
#' @param block,assay,groups As for [rowsparse()].
#' @param alternatives Include the cost of [alternatives()] to the fit? Its time is limited by its
#'   argument `seconds`; for methods that it fits again, it is that of all fits.
#' @return A list of class `rowsparse_cost`:
#'   \item{table}{a data frame with a row for each method: `method`, `route`, `passes`
#'     (`NA` except for row blocks), `memory_gb` beyond the data, `data_gb` of the data
#'     themselves, `seconds` of processor time on one thread, `m` and `iterations` that were
#'     assumed (`NA` where the method has none), and `way_out`}
#'   \item{sizes}{n, d, number of stored values, kind of data}
#'   \item{memory_gb}{memory of the machine}
#'
#' `as.data.frame()` gives the table, `summary()` sorts it by time, `plot()` shows memory
#' against time.
#' @section Errors:
#' Of class `rowsparse_error`, as for [rowsparse()]: an unknown method, one that does not take
#' such data or needs a response, and invalid sizes.
#' @seealso [rowsparse_methods()], whose column `cost` shows how the work grows;
#'   `rowsparse_control(verbose = TRUE)`, with which a fit of more than ten seconds or one
#'   gigabyte announces this before it begins.
#' @examples
#' rowsparse_cost(iris[, 1:4], k = 2)
#' # before there are data
#' rowsparse_cost(c(n = 2e5, d = 5000, density = 0.05), method = c("fspca", "bsufs", "jelsr"))
#' @export
rowsparse_cost <- function(x, y = NULL, k = 50, method = NULL, m = NULL, ..., block = NULL,
                           assay = NULL, alternatives = FALSE, groups = NULL) {
  check_no_formula(x)
  alternatives <- check_flag(alternatives, "alternatives")
  seen <- look_at_sizes(x, assay)
  size <- rep(1, seen$d)
  if (!is.null(groups)) size <- tabulate(resolve_groups(groups, seen$d, colnames(x))$of)
  k <- check_count(if (missing(k)) min(k, length(size)) else k, "k", 1L, length(size))
  if (!is.null(groups)) k <- sum(sort(size, decreasing = TRUE)[seq_len(k)])
  if (!is.null(m) && !is_unlimited(m)) m <- check_count(m, "m")
  classes <- count_responses(sample_column(x, y, "y"), seen$n)
  block <- sample_column(x, block, "block")
  if (!is.null(block)) seen$levels <- length(levels_of_block(block, seen$n))
  usual <- if (is.null(method)) usual_method(x, if (is_number(y)) "classes" else y, k)
  entries <- cost_entries(or_default(method, usual$method), classes, seen)
  for (entry in entries) check_takes_groups(entry, groups)
  given <- list(m = m, ...)
  given <- c(given, usual$settings[setdiff(names(usual$settings), names(given))])
  rows <- lapply(entries, function(entry) {
    asked <- cost_arguments(entry, given, length(entries) > 1L)
    sizes <- list(k = k, classes = classes, alternatives = alternatives)
    cost_row(entry, complete_sizes(seen, entry, c(asked, sizes)))
  })
  structure(
    list(
      table = do.call(rbind, rows), sizes = c(seen[c("n", "d", "stored")], kind = seen$as),
      memory_gb = memory_bytes() / 1e9
    ),
    class = "rowsparse_cost"
  )
}

# the route where all is well, by kind of data
routes <- c(dense = "memory", sparse = "memory", moments = "moments", blocks = "passes")

cost_row <- function(entry, s) {
  needs <- method_needs(entry, s)
  fits <- fits_room(entry, s, needs)
  data.frame(
    method = entry$name,
    route = if (!fits) "too large" else if (!in_time(needs)) "too long" else routes[[s$as]],
    passes = if (s$kind == "blocks") passes_needed(entry, s) else NA_real_,
    memory_gb = needs[["memory"]] / 1e9, data_gb = data_bytes(s) / 1e9,
    seconds = needs[["seconds"]],
    m = if (is.null(entry$dimension)) NA_real_ else as.double(s[[entry$dimension]]),
    iterations = if (s$iterations > 0) s$iterations else NA_real_,
    way_out = way_out_of(entry, s, fits, in_time(needs))
  )
}

way_out_of <- function(entry, s, fits, quick) {
  if (!fits) {
    ways_out(entry, s)
  } else if (quick) {
    NA_character_
  } else {
    time_ways_out(entry, s)
  }
}

# ---- what is asked for -----------------------------------------------------------------

cost_entries <- function(method, classes, seen) {
  if (!is.character(method) || length(method) == 0L || anyNA(method)) {
    stop_rowsparse("choice", "method", "must be names of methods or \"all\"", describe(method))
  }
  all <- identical(method, "all")
  entries <- lapply(if (all) names(method_table()) else unique(method), method_entry)
  if (all) {
    return(Filter(function(entry) {
      seen$as %in% entry$input && (!needs_response(entry) || !is.null(classes))
    }, entries))
  }
  for (entry in entries) {
    if (!seen$as %in% entry$input) {
      stop_rowsparse("type", "x", sprintf("must hold the samples themselves for %s()", entry$name),
        seen$as
      )
    }
    if (needs_response(entry) && is.null(classes)) {
      stop_rowsparse("type", "y", sprintf("must be given: %s is supervised", entry$name))
    }
  }
  entries
}

# those that the method knows, of arguments meant for several
cost_arguments <- function(entry, given, several) {
  given <- given[!vapply(given, is.null, NA)]
  if (!is.null(entry$dimension) && entry$dimension != "m" && is.null(given[[entry$dimension]])) {
    names(given)[names(given) == "m"] <- entry$dimension
  }
  if (several) given <- given[names(given) %in% c(names(formals(entry$fit)), "")]
  given <- check_arguments(entry, given)
  if (!is.null(given[["control"]])) given$control <- resolve_control(given[["control"]], NULL, NULL)
  if (!is.null(given[["solver"]])) given$solver <- chosen(given, "solver", entry$fit)
  given
}

# classes or columns of the response; NULL where there is none
count_responses <- function(y, n) {
  if (is.null(y)) {
    return(NULL)
  }
  if (is_number(y)) {
    return(check_count(y, "y"))
  }
  if (is.data.frame(y)) y <- as.matrix(y)
  if (!is.na(n)) check_response_length(y, n)
  if (!is.atomic(y)) {
    stop_rowsparse("type", "y", "must be classes, numbers, a matrix of numbers or their count",
      describe(y)
    )
  }
  if (is.matrix(y)) ncol(y) else if (is.numeric(y)) 1L else length(unique(y))
}

# ---- what the data are, by their sizes -------------------------------------------------

# n, d, kind, stored, and of blocks the rows of the tallest
look_at_sizes <- function(x, assay) {
  if (is_sizes(x)) {
    sizes_given(x)
  } else if (is_sketch(x) && is.matrix(x$factor)) {
    sketch_sizes(x)
  } else if (inherits(x, "rowsparse_moments")) {
    if (!is.list(x) || !is_number(x$n) || !is.numeric(x$mean) || length(x$mean) < 1L) {
      stop_moments("x", "parts that do not go together")
    }
    sizes_seen("moments", x$n, length(x$mean), length(x$mean)^2)
  } else if (inherits(x, "rowsparse_blocks")) {
    look_at_blocks(x)
  } else if (inherits(x, "rowsparse_data")) {
    data_sizes(x)
  } else if (is_experiment(x)) {
    check_experiment(x)
    chosen <- choose_assay(x, assay, "x")
    held <- SummarizedExperiment::assay(x, chosen, withDimnames = FALSE)
    normalised <- is.null(assay) &&
      is_called_counts(SummarizedExperiment::assayNames(x)[chosen])
    s <- if (normalised && are_large_counts(held)) {
      look_at_blocks(columns_in_blocks(held, NULL))
    } else {
      samples <- if (inherits(held, "DelayedMatrix")) DelayedArray::t(held) else held
      look_at_matrix(samples, rev(dim(held)))
    }
    # counts that are normalised are kept, see packed.R
    s$quick <- s$kind == "blocks" && s$sparse && normalised && 4 * s$stored <= passes_memory()
    s
  } else {
    look_at_matrix(x, sound_dim(x))
  }
}

look_at_matrix <- function(x, size) {
  if (length(size) != 2L || any(size < 1)) {
    stop_rowsparse("type", "x",
      "must be data as for rowsparse(), or their sizes as c(n = , d = , density = )", describe(x)
    )
  }
  if (inherits(x, "sparseMatrix")) {
    stored <- if (inherits(x, "dgCMatrix")) length(x@x) else Matrix::nnzero(x)
    return(sizes_seen("sparse", size[1], size[2], stored))
  }
  if (inherits(x, "DelayedMatrix")) {
    return(look_at_delayed(x))
  }
  sizes_seen("dense", size[1], size[2], prod(as.double(size)))
}

# samples in rows: read where it is small, and in blocks elsewhere
look_at_delayed <- function(x) {
  size <- dim(x)
  if (!is_small(x)) {
    look_at_blocks(row_blocks(x))
  } else if (DelayedArray::is_sparse(x)) {
    sizes_seen("sparse", size[1], size[2], stored_share_of(x) * prod(as.double(size)))
  } else {
    sizes_seen("dense", size[1], size[2], prod(as.double(size)))
  }
}

sizes_seen <- function(kind, n, d, stored, tall = n, sparse = kind == "sparse") {
  list(
    kind = kind, n = as.double(n), d = as.double(d), stored = as.double(stored),
    sparse = sparse, tall = as.double(tall), as = kind, levels = 1
  )
}

is_sizes <- function(x) {
  (is.list(x) || is.numeric(x)) && is.null(dim(x)) && !is.object(x) && !is.null(names(x)) &&
    all(c("n", "d") %in% names(x))
}

sizes_given <- function(x) {
  x <- as.list(x)
  unknown <- setdiff(names(x), c("n", "d", "density"))
  if (length(unknown) > 0) {
    stop_rowsparse("argument", "x", "must hold n, d and density only", quoted(unknown[1]))
  }
  n <- as.double(check_count(x$n, "n", 2L))
  d <- as.double(check_count(x$d, "d", 1L))
  if (is.null(x$density)) {
    return(sizes_seen("dense", n, d, n * d))
  }
  sizes_seen("sparse", n, d, ceiling(n * d * check_number(x$density, "density", 0, 1)))
}

# one block is read
look_at_blocks <- function(x) {
  check_blocks(x, "x")
  first <- raw_block(x$read, 1L, list(argument = "x"))
  if (is.function(x$close)) x$close()
  n <- sum(as.double(x$rows))
  s <- sizes_seen("blocks", n, ncol(first), n * ncol(first) * stored_share(first), max(x$rows),
    sparse = is_sparse_block(first) && !isFALSE(x$sparse)
  )
  s$quick <- is.function(x$from_source)
  s
}

# of data as as_data() makes them
data_sizes <- function(data) {
  if (is_sketch(data)) {
    return(sketch_sizes(data))
  }
  tall <- if (data$kind == "blocks") max(diff(data$start)) else data$n
  s <- sizes_seen(data$kind, data$n, data$d, stored_numbers(data), tall,
    sparse = data$kind == "sparse" || isTRUE(data$sparse)
  )
  s$levels <- max(1, length(data$block$levels))
  s$quick <- isTRUE(data$quick)
  s
}

# moments of low rank work as two rows for each of their factor
sketch_sizes <- function(x) {
  size <- dim(x$factor)
  s <- sizes_seen("dense", 2 * size[1], size[2], 2 * prod(as.double(size)))
  s$as <- "moments"
  s
}

stored_numbers <- function(data) {
  switch(data$kind,
    sparse = length(data$x), moments = as.double(data$d)^2,
    blocks = as.double(data$n) * data$d * data$density, as.double(data$n) * data$d
  )
}

data_bytes <- function(s) {
  if (s$sparse) 12 * s$stored + 4 * (s$d + 1) else 8 * s$stored
}

# ---- sizes as the descriptors take them -------------------------------------------------

# what methods choose for themselves, at most: on real data 4 to 15, in the middle 8
usual_dimension <- 15

# Sizes of a fit; `asked`: arguments of the method, k and the number of classes. What is no
# size is left to the checks of the method.
complete_sizes <- function(s, entry, asked = list()) {
  usual <- list(
    k = 50, m = usual_dimension, clusters = usual_dimension, classes = 5,
    neighbours = usual_choice(entry, "neighbours", 5), solver = usual_choice(entry, "solver", ""),
    threads = or_default(asked$control$threads, 1)
  )
  sizes <- c("k", "m", "clusters", "classes", "neighbours", "landmarks", "sigma_steps")
  sound <- vapply(names(asked), function(name) {
    value <- asked[[name]]
    a_size <- is.numeric(value) && length(value) > 0 && all(!is.na(value) & value > 0)
    if (name %in% sizes) a_size else is.atomic(value) && length(value) > 0
  }, NA)
  asked_for <- asked[sound]
  s <- utils::modifyList(utils::modifyList(s, usual), asked_for)
  s$given <- names(asked_for)
  s$only_leading <- takes_only_leading(entry, s)
  s$room <- or_default(s$room, memory_bytes())
  s$iterations <- min(entry$iterations, or_default(asked$control$maxit, Inf))
  within_data(s)
}

# what is asked for, no more than the data have
within_data <- function(s) {
  s$side <- min(s$n, s$d)
  s$copy <- if (s$kind == "dense") s$n * s$d else 0
  s$k <- min(s$k, s$d)
  s$m <- min(s$m, s$side)
  s$clusters <- min(s$clusters, s$n)
  s$neighbours <- pmin(s$neighbours, s$n - 1)
  s
}

usual_choice <- function(entry, argument, otherwise) {
  chosen <- or_default(entry$defaults[[argument]], eval(formals(entry$fit)[[argument]]))
  if (is.character(chosen)) chosen[1] else or_default(chosen, otherwise)
}

method_needs <- function(entry, s) {
  inner <- held_sizes(s, entry)
  block <- if (s$kind == "blocks") 3 * s$tall / s$n * data_bytes(s) / 8 else 0
  # statistics and a centred copy, checks and results
  reading <- room(s$copy + (5 + s$levels) * s$d + block) +
    work(numbers = 3e7 + (if (s$sparse) 60 else 8) * s$stored)
  held <- s$kind == "blocks" && is_held(entry, s)
  taking <- if (held) {
    room(data_bytes(s) / 8 + inner$copy)
  } else if (s$kind == "blocks" && inner$kind == "moments") {
    feature_gram(s)
  } else {
    work()
  }
  roles <- if (isTRUE(s$alternatives)) roles_needs(entry, inner) else work()
  reading + entry$needs(inner) + taking + roles
}

# row blocks as the methods take them: held, as second moments, or as they are; see passes.R
held_sizes <- function(s, entry) {
  if (s$kind != "blocks") {
    return(s)
  }
  if (is_held(entry, s)) {
    kind <- if (s$sparse) "sparse" else "dense"
    return(utils::modifyList(s, list(kind = kind, copy = held_copy(s))))
  }
  moments <- "moments" %in% entry$input && !entry$samples && 8 * s$d^2 <= s$room / 4 &&
    !takes_wide_products(s)
  if (moments) as_formed(s) else s
}

is_held <- function(entry, s) is.infinite(entry$passes) || is_held_wide(s)

passes_needed <- function(entry, s) {
  if (is_held_wide(s)) 1 else if (is.infinite(entry$passes)) 2 else entry$passes
}

# blocks that a method needs all at once are held in a quarter of the memory
fits_room <- function(entry, s, needs = method_needs(entry, s)) {
  held <- s$kind == "blocks" && is.infinite(entry$passes)
  needs[["memory"]] <= s$room && !(held && data_bytes(s) > s$room / 4)
}

# ---- the refusal ------------------------------------------------------------------------

# Stop before a fit that cannot fit, say what a large one will take. `name` of the method,
# `data` as from as_data(), `...` what it is asked for, by the names of sizes.
check_needs <- function(name, data, ..., argument = "x", control = NULL) {
  entry <- c(list(name = name), known_descriptor(name))
  s <- complete_sizes(data_sizes(data), entry, list(..., control = control))
  needs <- method_needs(entry, s)
  if (needs[["memory"]] > s$room) {
    check_memory(needs[["memory"]], argument, ways_out(entry, s))
  }
  if (!in_time(needs)) stop_too_long(needs, argument, time_ways_out(entry, s))
  if (isTRUE(control$verbose)) announce(name, needs)
  invisible(needs)
}

# the longest fit that begins, in seconds; Inf for any
seconds_limit <- function() {
  option <- getOption("rowsparse.seconds")
  if (is_number(option) || identical(option, Inf)) option else 3600
}

in_time <- function(needs) needs[["seconds"]] <= seconds_limit()

stop_too_long <- function(needs, argument, ways) {
  stop_rowsparse("time", argument,
    sprintf("asks for about %s of one processor where the limit is %s; %s",
      time_words(needs[["seconds"]]), time_words(seconds_limit()), ways
    )
  )
}

# Changes of the request with which the fit is within the limit of time, in words
time_ways_out <- function(entry, s) {
  quick <- function(n) {
    less <- list(n = n, stored = s$stored * n / s$n, tall = min(s$tall, n))
    in_time(method_needs(entry, within_data(utils::modifyList(s, less))))
  }
  most <- largest_fitting(s$n, quick)
  paste0(
    if (most >= 10) sprintf("take at most about %s of the samples, or ", rounded_down(most)),
    "choose another method: rowsparse_cost(x, method = \"all\"), ",
    "or set options(rowsparse.seconds = Inf)"
  )
}

# fits of more than ten seconds or a gigabyte say so first
announce <- function(method, needs) {
  if (needs[["seconds"]] > 10 || needs[["memory"]] > 1e9) {
    message(sprintf("%s: about %s and %s beyond the data", method, time_words(needs[["seconds"]]),
      memory_words(needs[["memory"]])
    ))
  }
}

# Changes of the request with which the fit has room, in words, the mildest first; where there
# is none, those that need less
ways_out <- function(entry, s) {
  ways <- ways_within(entry, s)
  if (length(ways) == 0L) {
    s$room <- 0.95 * method_needs(entry, s)[["memory"]]
    ways <- or_default(ways_within(entry, s), "take fewer samples and features")
  }
  paste0(
    paste(ways, collapse = ", or "),
    ", or choose another method: rowsparse_cost(x, method = \"all\")"
  )
}

ways_within <- function(entry, s) {
  fits <- function(...) fits_room(entry, within_data(utils::modifyList(s, list(...))))
  solvers <- eval(formals(entry$fit)$solver)
  solvers <- setdiff(if (is.character(solvers)) solvers, s$solver)
  solvers <- Filter(function(solver) fits(solver = solver), solvers)
  held <- s$kind %in% c("dense", "sparse")
  takes_as <- function(kind) kind %in% entry$input
  most <- largest_fitting(s$d, function(d) {
    fits(d = d, stored = if (s$kind == "moments") d^2 else s$stored * d / s$d)
  })
  c(
    if (length(solvers) > 0) sprintf("use `solver = \"%s\"`", solvers[1]),
    if (s$kind == "dense" && takes_as("sparse") &&
          fits(kind = "sparse", stored = s$n * s$d / 10, sparse = TRUE)) {
      "pass a sparse matrix, if most values are zero"
    },
    if (s$kind != "moments" && takes_as("moments") && 8 * s$d^2 <= s$room &&
          fits(kind = "moments", stored = s$d^2, sparse = FALSE)) {
      "pass moments() of blocks of rows"
    },
    if (held && takes_as("blocks") && fits(kind = "blocks", tall = min(s$n, 1e3))) {
      "pass row_blocks()"
    },
    if (most >= max(2, s$k)) {
      sprintf("select features first (at most about %s)", rounded_down(most))
    }
  )
}

# the largest whole number below `from` that fits, within a hundredth; 0 for none
largest_fitting <- function(from, fits) {
  lower <- 0
  while (from - lower > max(1, 0.01 * lower)) {
    middle <- floor((lower + from) / 2)
    if (fits(middle)) lower <- middle else from <- middle
  }
  lower
}

# two digits, never more than there is room for
rounded_down <- function(count) {
  unit <- 10^max(0, floor(log10(max(1, count))) - 1)
  format(floor(count / unit) * unit, big.mark = ",", scientific = FALSE)
}

# ---- words ------------------------------------------------------------------------------

memory_words <- function(bytes) {
  if (bytes >= 1e9) {
    sprintf("%.1f GB", bytes / 1e9)
  } else if (bytes >= 1e6) {
    sprintf("%.0f MB", bytes / 1e6)
  } else {
    "< 1 MB"
  }
}

time_words <- function(seconds) {
  unit <- c(" s" = 1, " min" = 60, " h" = 3600, " days" = 86400)
  at <- max(1L, sum(seconds >= c(0, 100, 6000, 172800)))
  if (seconds < 0.1) "< 0.1 s" else paste0(signif(seconds / unit[at], 2), names(unit)[at])
}

check_cost <- function(x, argument = "x") {
  columns <- c("method", "route", "passes", "memory_gb", "data_gb", "seconds", "m", "iterations",
    "way_out"
  )
  rules <- list(
    table = rule("a data frame of methods", function(v, x) {
      is.data.frame(v) && nrow(v) > 0 && all(columns %in% names(v)) && is.numeric(v$seconds) &&
        is.numeric(v$memory_gb)
    }),
    sizes = rule("the sizes of the data", function(v, x) {
      is.list(v) && all(c("n", "d", "kind") %in% names(v))
    }),
    memory_gb = rule("a number above 0", function(v, x) is_number(v) && v > 0)
  )
  check_elements(x, argument, "a result of rowsparse_cost()", rules)
}

sizes_words <- function(sizes) {
  kind <- switch(sizes$kind,
    dense = "dense", moments = "as moments", blocks = "in row blocks",
    sparse = sprintf("sparse, %.3g%% stored", 100 * sizes$stored / sizes$n / sizes$d)
  )
  plain <- function(count) format(count, big.mark = " ", scientific = FALSE)
  sprintf("%s samples, %s features, %s", plain(sizes$n), plain(sizes$d), kind)
}

#' @export
print.rowsparse_cost <- function(x, ...) {
  check_cost(x)
  table <- x$table
  cat(sprintf("Cost of %s on %s (%s)\n", count_of(nrow(table), "method"), sizes_words(x$sizes),
    memory_words(1e9 * table$data_gb[1])
  ))
  or_dash <- function(value) ifelse(is.na(value), "-", format(value))
  print(data.frame(
    method = table$method, route = table$route, passes = or_dash(table$passes),
    memory = vapply(1e9 * table$memory_gb, memory_words, ""),
    time = vapply(table$seconds, time_words, ""), m = or_dash(table$m),
    iterations = or_dash(table$iterations)
  ), row.names = FALSE)
  cat("Memory is beyond the data, time that of one thread, to the order of magnitude; `m` and\n",
    "the iterations are assumed where they were not given.\n", sep = "")
  for (at in which(table$route %in% c("too large", "too long"))) {
    cat(strwrap(sprintf("%s would not fit into %s: %s.", table$method[at],
      memory_words(1e9 * x$memory_gb), table$way_out[at]
    ), exdent = 2), sep = "\n")
  }
  invisible(x)
}

#' @export
as.data.frame.rowsparse_cost <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_table_arguments(...)
  check_cost(x)
  x$table
}

#' @export
summary.rowsparse_cost <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  check_cost(object, "object")
  object$table <- object$table[order(object$table$seconds), ]
  object
}

#' @rdname rowsparse_cost
#' @export
plot.rowsparse_cost <- function(x, ...) {
  check_cost(x)
  draw_picture(x, cost_picture(x), ...)
}

# the quickest method on top
cost_picture <- function(x) {
  table <- x$table[order(x$table$seconds, x$table$memory_gb), ]
  list(
    kind = "costs", methods = as.character(table$method), route = factor(table$route),
    panels = list(
      list(value = pmax(table$seconds, 1e-2), label = "seconds"),
      list(value = pmax(table$memory_gb, 1e-3), label = "GB beyond the data",
        line = if (is.finite(x$memory_gb)) x$memory_gb
      )
    ),
    title = sizes_words(x$sizes)
  )
}
