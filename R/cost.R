#' What a fit will cost
#'
#' Tells, before anything is computed, by which route a method would take the data, in how
#' many passes where they are read in blocks, with how much memory and in about what time.
#' Of `x` only the sizes and the number of stored values are looked at.
#'
#' @section Routes:
#' \describe{
#'   \item{memory}{the data are in memory and stay there}
#'   \item{moments}{from [moments()], whatever the number of samples was}
#'   \item{passes}{from [row_blocks()], or a `DelayedMatrix` of more than a quarter of the
#'     memory: `passes` counts how often all rows are read. One block is read, and timed}
#'   \item{too large}{the fit would ask for more memory than the machine has and is refused;
#'     `print()` and the column `way_out` name what does fit: a sparse matrix, moments, row
#'     blocks, fewer features, another method}
#' }
#'
#' A fit that does not fit is refused by the same sums: the memory named here and in an error of
#' class `rowsparse_error_memory` cannot disagree. `options(rowsparse.memory = )`, in bytes,
#' stands for the memory of the machine.
#'
#' @section How far to trust it:
#' The memory is what the method allocates at its peak beside `x`. It is counted and within a
#' factor of two or so, where the data are more than a few megabytes.
#'
#' The time is arithmetic, counted from the sizes, divided by the rates of this machine for five
#' kinds of it, measured once per session, in about a fifth of a second. The arithmetic
#' of an iterative method is that of its usual number of iterations on real data, and some
#' take many times more or fewer. Of 90 fits of 30 methods, on 500 x 2000 and
#' 3000 x 500 dense and 5000 x 2000 sparse data, 80 took between a third and three times the
#' estimate; one was told six times too short, one 28 times too long. `Rscript bench/cost.R` of the
#' sources compares.
#'
#' @param x Data as for [rowsparse()], or their sizes before there are any:
#'   `c(n = , d = )`, with `density = ` (share of values that are not zero) for a sparse
#'   matrix.
#' @param method Names of methods, see [rowsparse_methods()], or `"all"` for those that take such
#'   data. `NULL`: the default of [rowsparse()].
#' @param y Response of supervised methods, of which only the number of classes or columns
#'   counts; or that number.
#' @param k Number of features to select.
#' @param m Dimension of the subspace or number of clusters. `NULL`: the method would choose it
#'   from the data; 15 is assumed, the most that real data usually ask for.
#' @param ... Further arguments of the methods. Those that count here are `clusters`,
#'   `neighbours`, `solver`, `landmarks` and `control` (`maxit` and `threads`).
#' @param block,assay As for [rowsparse()].
#' @return A list of class `rowsparse_cost`:
#'   \item{table}{a data frame with a row for each method: `method`, `route`, `passes`
#'     (`NA` but for row blocks), `memory_gb` beyond the data, `data_gb` of the data themselves,
#'     `seconds` of processor time on one thread, `m` and `iterations` that were assumed (`NA` where
#'     the method has none), and `way_out`}
#'   \item{work}{seconds by kind of work: products of matrices, reading the data in products with
#'     few columns, sparse products, eigenvalues, simple arithmetic, reading blocks}
#'   \item{sizes}{n, d, number of stored values, kind of data}
#'   \item{speed}{what this machine does in a second, by kind of work}
#'   \item{memory_gb}{memory of the machine}
#'
#' `as.data.frame()` gives the table, `summary()` tells where the time goes, `plot()` shows memory
#' against time.
#' @section Errors:
#' Of class `rowsparse_error`, as for [rowsparse()]: an unknown method, one that does not take
#' such data or needs a response, and sizes that are none.
#' @seealso [rowsparse_methods()], whose column `cost` says how the work grows;
#'   `rowsparse_control(verbose = TRUE)`, with which a fit of more than ten seconds or
#'   one gigabyte says so before it begins.
#' @examples
#' rowsparse_cost(iris[, 1:4], k = 2)
#' # before there are data
#' rowsparse_cost(c(n = 2e5, d = 5000, density = 0.05), c("fspca", "bsufs", "jelsr"))
#' @export
rowsparse_cost <- function(x, method = NULL, y = NULL, k = 50, m = NULL, ..., block = NULL,
                           assay = NULL) {
  check_no_formula(x)
  seen <- look_at_sizes(x, assay)
  k <- check_count(if (missing(k)) min(k, seen$d) else k, "k", 1L, seen$d)
  if (!is.null(m) && !is_unlimited(m)) m <- check_count(m, "m")
  classes <- count_responses(sample_column(x, y, "y"), seen$n)
  block <- sample_column(x, block, "block")
  if (!is.null(block)) seen$levels <- nlevels(used_levels(block, seen$n, "block"))
  if (is.null(method)) method <- default_method(x, if (is_number(y)) "classes" else y, k)
  entries <- cost_entries(method, classes, seen)
  given <- list(m = m, ...)
  several <- length(entries) > 1L
  rows <- lapply(entries, function(entry) {
    cost_row(entry, seen, k, classes, cost_arguments(entry, given, several))
  })
  new_cost(rows, seen)
}

# the route where all is well, by kind of data
routes <- c(dense = "memory", sparse = "memory", moments = "moments", blocks = "passes")

cost_row <- function(entry, seen, k, classes, given) {
  s <- complete_sizes(seen, entry, c(given, list(k = k, classes = classes)))
  needs <- method_needs(entry, s)
  fits <- fits_room(entry, s, needs)
  rate <- machine_speed()
  work <- c(needs[names(rate)] / rate, calls = calling_seconds, blocks = 0)
  if (s$kind == "blocks") work[["blocks"]] <- needs[["passes"]] * seen$pass_seconds
  table <- data.frame(
    method = entry$name, route = if (fits) routes[[s$as]] else "too large",
    passes = if (s$kind == "blocks") ceiling(needs[["passes"]]) else NA_real_,
    memory_gb = needs[["memory"]] / 1e9, data_gb = data_bytes(s) / 1e9, seconds = sum(work),
    m = assumed_dimension(entry, s), iterations = if (s$iterations > 0) s$iterations else NA_real_,
    way_out = if (fits) NA_character_ else ways_out(entry, s)
  )
  list(table = table, work = work)
}

new_cost <- function(rows, seen) {
  work <- do.call(rbind, lapply(rows, `[[`, "work"))
  table <- do.call(rbind, lapply(rows, `[[`, "table"))
  rownames(work) <- table$method
  structure(
    list(
      table = table, work = work, sizes = c(seen[c("n", "d", "stored")], kind = seen$as),
      speed = machine_speed(), memory_gb = memory_bytes() / 1e9
    ),
    class = "rowsparse_cost"
  )
}

# ---- what is asked for -----------------------------------------------------------------

cost_entries <- function(method, classes, seen) {
  if (!is.character(method) || length(method) == 0L || anyNA(method)) {
    stop_rowsparse("choice", "method", "must be names of methods or \"all\"", describe(method))
  }
  if (identical(method, "all")) {
    entries <- lapply(names(method_table()), method_entry)
    return(Filter(function(entry) {
      seen$as %in% entry$input && (!needs_response(entry) || !is.null(classes))
    }, entries))
  }
  entries <- lapply(unique(method), method_entry)
  for (entry in entries) check_takes_sizes(entry, classes, seen)
  entries
}

check_takes_sizes <- function(entry, classes, seen) {
  if (!seen$as %in% entry$input) {
    stop_rowsparse("type", "x", sprintf("must hold the samples themselves for %s()", entry$name),
      seen$as
    )
  }
  if (needs_response(entry) && is.null(classes)) {
    stop_rowsparse("type", "y", sprintf("must be given: %s is supervised", entry$name))
  }
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
  if (is.matrix(y)) {
    return(ncol(y))
  }
  if (is.numeric(y)) {
    return(1L)
  }
  if (!is.atomic(y)) {
    stop_rowsparse("type", "y", "must be classes, numbers, a matrix of numbers or their count",
      describe(y)
    )
  }
  length(unique(y))
}

# ---- what the data are, by their sizes -------------------------------------------------

# n, d, kind, stored, and of blocks the rows of the tallest and the seconds of a pass
look_at_sizes <- function(x, assay) {
  if (is_sizes(x)) {
    return(sizes_given(x))
  }
  if (is_sketch(x) && is.matrix(x$factor)) {
    return(sketch_sizes(x))
  }
  if (inherits(x, "rowsparse_moments")) {
    check_moments_sizes(x)
    return(sizes_seen("moments", x$n, length(x$mean), length(x$mean)^2))
  }
  if (inherits(x, "rowsparse_blocks")) {
    return(look_at_blocks(x))
  }
  if (inherits(x, "rowsparse_data")) {
    return(data_sizes(x))
  }
  if (is_experiment(x)) {
    check_experiment(x)
    chosen <- choose_assay(x, assay, "x")
    held <- SummarizedExperiment::assay(x, chosen, withDimnames = FALSE)
    return(look_at_matrix(held, rev(dim(held))))
  }
  look_at_matrix(x, sound_dim(x))
}

look_at_matrix <- function(x, size) {
  if (length(size) != 2L || any(size < 1)) {
    stop_rowsparse("type", "x",
      "must be data as for rowsparse(), or their sizes as c(n = , d = , density = )", describe(x)
    )
  }
  full <- prod(as.double(size))
  if (inherits(x, "sparseMatrix")) {
    stored <- if (inherits(x, "dgCMatrix")) length(x@x) else Matrix::nnzero(x)
    return(sizes_seen("sparse", size[1], size[2], stored))
  }
  if (inherits(x, "DelayedMatrix") && 8 * full > memory_bytes() / 4) {
    return(look_at_blocks(row_blocks(x)))
  }
  sizes_seen("dense", size[1], size[2], full)
}

sizes_seen <- function(kind, n, d, stored, tall = n, pass_seconds = 0,
                       sparse = kind == "sparse") {
  list(
    kind = kind, n = as.double(n), d = as.double(d), stored = as.double(stored),
    sparse = sparse, tall = as.double(tall), pass_seconds = pass_seconds, as = kind,
    levels = 1
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
  density <- check_number(x$density, "density", 0, 1)
  sizes_seen("sparse", n, d, ceiling(n * d * density))
}

check_moments_sizes <- function(x) {
  if (!is.list(x) || !is_number(x$n) || !is.numeric(x$mean) || length(x$mean) < 1L) {
    stop_moments("x", "parts that do not go together")
  }
}

# one block is read, once, and timed
look_at_blocks <- function(x) {
  check_blocks(x, "x")
  began <- proc.time()[["elapsed"]]
  first <- raw_block(x$read, 1L, list(argument = "x"))
  seconds <- proc.time()[["elapsed"]] - began
  if (is.function(x$close)) x$close()
  n <- sum(as.double(x$rows))
  sizes_seen("blocks", n, ncol(first), n * ncol(first) * stored_share(first), max(x$rows),
    seconds * n / x$rows[1], sparse = is_sparse_block(first) && !isFALSE(x$sparse)
  )
}

# ---- sizes as the descriptors take them -------------------------------------------------

# what methods choose for themselves, at most: on real data 4 to 15, in the middle 8
usual_dimension <- 15
usual_classes <- 5

# Sizes of a fit; `asked`: arguments of the method, k and the number of classes
complete_sizes <- function(s, entry, asked = list()) {
  control <- asked$control
  asked <- sound_requests(asked)
  usual <- list(
    k = 50, m = usual_dimension, clusters = usual_dimension, classes = usual_classes,
    neighbours = usual_neighbours(entry), solver = usual_choice(entry, "solver"), threads = 1,
    response = asked$classes
  )
  s$side <- min(s$n, s$d)
  s$copy <- if (s$kind == "dense") s$n * s$d else 0
  s$room <- memory_bytes()
  s <- utils::modifyList(s, utils::modifyList(usual, asked))
  s$given <- names(asked)
  s$k <- min(s$k, s$d)
  s$m <- min(s$m, s$side)
  s$clusters <- min(s$clusters, s$n)
  s$neighbours <- pmin(s$neighbours, s$n - 1)
  s$threads <- or_default(control$threads, s$threads)
  s$iterations <- min(usual_iterations(entry, s), or_default(control$maxit, Inf))
  s
}

# what is not a size is left to the checks of the method
sound_requests <- function(asked) {
  sizes <- c("k", "m", "clusters", "classes", "neighbours", "landmarks", "sigma_steps")
  sound <- vapply(names(asked), function(name) {
    value <- asked[[name]]
    if (name %in% sizes) {
      is.numeric(value) && length(value) > 0 && all(!is.na(value) & value > 0)
    } else {
      !is.null(value) && name != "control"
    }
  }, NA)
  asked[sound]
}

usual_neighbours <- function(entry) {
  usual <- formals(entry$fit)$neighbours
  if (is.null(usual)) 5 else eval(usual)
}

usual_iterations <- function(entry, s) {
  if (is.function(entry$iterations)) entry$iterations(s) else entry$iterations
}

usual_choice <- function(entry, argument) {
  chosen <- or_default(entry$defaults[[argument]], eval(formals(entry$fit)[[argument]]))
  if (is.character(chosen)) chosen[1]
}

# of data as as_data() makes them
data_sizes <- function(data) {
  if (is_sketch(data)) {
    return(sketch_sizes(data))
  }
  s <- sizes_seen(data$kind, data$n, data$d, stored_numbers(data), tallest_block(data),
    sparse = data$kind == "sparse" || isTRUE(data$sparse)
  )
  s$levels <- max(1, length(data$block$levels))
  s
}

# moments of low rank work as two rows for each of their factor
sketch_sizes <- function(x) {
  size <- dim(x$factor)
  s <- sizes_seen("dense", 2 * size[1], size[2], 2 * prod(as.double(size)))
  s$as <- "moments"
  s
}

assumed_dimension <- function(entry, s) {
  if (is.null(entry$dimension)) NA_real_ else as.double(s[[entry$dimension]])
}

stored_numbers <- function(data) {
  switch(data$kind,
    sparse = length(data$x), moments = as.double(data$d)^2,
    blocks = as.double(data$n) * data$d * data$density, as.double(data$n) * data$d
  )
}

tallest_block <- function(data) {
  if (data$kind == "blocks") max(diff(data$start)) else data$n
}

data_bytes <- function(s) {
  if (s$sparse) 12 * s$stored + 4 * (s$d + 1) else 8 * s$stored
}

method_needs <- function(entry, s) {
  inner <- settled_sizes(s, entry)
  needs <- together(reading_needs(s), entry$needs(inner))
  if (s$kind != "blocks") {
    return(needs)
  }
  if (is_held(entry, s)) {
    needs[["memory"]] <- needs[["memory"]] + data_bytes(s) + 8 * inner$copy
    needs[["passes"]] <- if (is_held_wide(s)) 1 else 2
  } else if (inner$kind == "moments") {
    needs <- together(needs, feature_gram(s))
    needs[["passes"]] <- entry$passes
  } else if (fits_products(s)) {
    needs[["passes"]] <- min(needs[["passes"]], entry$passes)
  }
  needs
}

# row blocks as the methods take them: held, as second moments, or as they are; see passes.R
settled_sizes <- function(s, entry) {
  if (s$kind != "blocks") {
    return(s)
  }
  if (is_held(entry, s)) {
    kind <- if (s$sparse) "sparse" else "dense"
    return(utils::modifyList(s, list(kind = kind, copy = held_copy(s))))
  }
  moments <- "moments" %in% entry$input && !entry$samples && fits_products(s)
  if (moments) as_formed(s) else s
}

is_held <- function(entry, s) is.infinite(entry$passes) || is_held_wide(s)

fits_products <- function(s) 8 * s$d^2 <= s$room / 4

# blocks that a method needs all at once are held in a quarter of the memory
fits_room <- function(entry, s, needs = method_needs(entry, s)) {
  held <- s$kind == "blocks" && is.infinite(entry$passes)
  needs[["memory"]] <= s$room && !(held && data_bytes(s) > s$room / 4)
}

# ---- the refusal ------------------------------------------------------------------------

# Stop before a fit that cannot fit, say what a large one will take. `name` of the method,
# `data` as from as_data(), `...` what it is asked for, by the names of sizes.
check_needs <- function(name, data, ..., argument = "x", control = NULL) {
  entry <- c(list(name = name), environment(check_needs)[[paste0("descriptor_", name)]]())
  s <- complete_sizes(data_sizes(data), entry, list(..., control = control))
  needs <- method_needs(entry, s)
  if (needs[["memory"]] > s$room) {
    check_memory(needs[["memory"]], argument, ways_out(entry, s))
  }
  if (isTRUE(control$verbose)) announce(name, needs)
  invisible(needs)
}

# fits above these say so first
told_seconds <- 10
told_bytes <- 1e9

announce <- function(method, needs) {
  seconds <- seconds_of(needs)
  if (seconds > told_seconds || needs[["memory"]] > told_bytes) {
    message(sprintf("%s: about %s and %s beyond the data", method, time_words(seconds),
      memory_words(needs[["memory"]])
    ))
  }
}

# ---- the routes that do fit ---------------------------------------------------------------

# Changes of the request with which the fit has room, in words, the mildest first; where there
# is none, those that need less
ways_out <- function(entry, s) {
  changed_sizes <- function(changed, room) {
    s <- utils::modifyList(s, c(changed, list(room = room)))
    s$side <- min(s$n, s$d)
    s$copy <- if (s$kind == "dense") s$n * s$d else 0
    s
  }
  ways_within <- function(room) {
    fits <- function(changed) fits_room(entry, changed_sizes(changed, room))
    c(
      other_solver(entry, s, fits), other_data(entry, s, fits), fewer_asked(entry, s, fits),
      fewer_features(entry, s, fits)
    )
  }
  ways <- c(ways_within(s$room), other_method(entry, s))
  if (length(ways) > 0L) {
    return(paste(utils::head(ways, 4L), collapse = ", or "))
  }
  ways <- ways_within(0.95 * method_needs(entry, s)[["memory"]])
  ways <- or_default(ways, "take fewer samples and features")
  paste0(paste(utils::head(ways, 2L), collapse = ", or "), ", which needs less")
}

other_solver <- function(entry, s, fits) {
  choices <- eval(formals(entry$fit)$solver)
  others <- setdiff(if (is.character(choices)) choices, s$solver)
  found <- Filter(function(solver) fits(list(solver = solver)), others)
  if (length(found) > 0) sprintf("use `solver = \"%s\"`", found[1])
}

other_data <- function(entry, s, fits) {
  held <- s$kind %in% c("dense", "sparse")
  tenth <- list(kind = "sparse", stored = s$n * s$d / 10, sparse = TRUE)
  block <- list(kind = "blocks", tall = min(s$n, 1e3))
  moments <- list(kind = "moments", stored = s$d^2, sparse = FALSE)
  room <- 8 * s$d^2 <= s$room
  c(
    if (s$kind == "dense" && "sparse" %in% entry$input && fits(tenth)) {
      "pass a sparse matrix, if most values are zero"
    },
    if (s$kind != "moments" && "moments" %in% entry$input && room && fits(moments)) {
      "pass moments() of blocks of rows"
    },
    if (held && "blocks" %in% entry$input && fits(block)) "pass row_blocks()"
  )
}

# a smaller k, m or number of clusters, where it is what takes the room
fewer_asked <- function(entry, s, fits) {
  for (name in intersect(c("m", "clusters", "k"), c(entry$dimension, names(formals(entry$fit))))) {
    most <- largest_fitting(s[[name]], function(value) fits(stats::setNames(list(value), name)))
    if (most >= 1 && most < s[[name]]) {
      return(sprintf("choose a smaller `%s` (at most about %s)", name, rounded_down(most)))
    }
  }
}

fewer_features <- function(entry, s, fits) {
  most <- largest_fitting(s$d, function(d) {
    stored <- if (s$kind == "moments") d^2 else s$stored * d / s$d
    fits(list(d = d, stored = stored, m = min(s$m, d), k = min(s$k, d)))
  })
  if (most >= max(2, s$k) && most < s$d) {
    sprintf("select features first (at most about %s)", rounded_down(most))
  }
}

# the largest whole number up to `from` that fits, where fewer take less; 0 for none
largest_fitting <- function(from, fits) {
  lower <- 0
  upper <- from + 1
  while (upper - lower > max(1, 0.01 * lower)) {
    middle <- floor((lower + upper) / 2)
    if (fits(middle)) lower <- middle else upper <- middle
  }
  lower
}

# two digits, never more than there is room for
rounded_down <- function(count) {
  unit <- 10^max(0, floor(log10(max(1, count))) - 1)
  format(floor(count / unit) * unit, big.mark = ",", scientific = FALSE)
}

# the quickest method of those that take such data, fit and see most of what this one sees
other_method <- function(entry, s) {
  table <- method_table()
  others <- Filter(function(other) {
    s$as %in% other$input && needs_response(other) == needs_response(entry)
  }, table[names(table) != entry$name])
  needs <- lapply(others, function(other) method_needs(other, resized(s, other)))
  fits <- vapply(others, function(other) fits_room(other, resized(s, other)), NA)
  if (any(fits)) {
    seen <- vapply(others[fits], function(other) mean(entry$sees %in% other$sees), 0)
    seconds <- vapply(needs[fits], seconds_of, 0)
    best <- names(which.min(seconds[seen == max(seen)]))
    sprintf("use %s() (%s)", best, memory_words(needs[[best]][["memory"]]))
  }
}

# the sizes of the same request to another method
resized <- function(s, entry) {
  asked <- s[intersect(s$given, c("k", "m", "clusters", "classes"))]
  complete_sizes(s[c("kind", "n", "d", "stored", "tall", "sparse", "as", "levels")], entry, asked)
}

# ---- words ------------------------------------------------------------------------------

memory_words <- function(bytes) {
  if (is.na(bytes)) {
    "-"
  } else if (bytes >= 1e9) {
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

cost_rules <- function() {
  list(
    table = rule("a data frame of methods", function(v, x) {
      is.data.frame(v) && nrow(v) > 0 &&
        all(c("method", "route", "passes", "memory_gb", "data_gb", "seconds", "m", "iterations",
          "way_out") %in% names(v)) && is.numeric(v$seconds) && is.numeric(v$memory_gb)
    }),
    work = rule("a matrix of seconds", function(v, x) {
      is.matrix(v) && is.numeric(v) && nrow(v) == nrow(x$table)
    }),
    sizes = rule("the sizes of the data", function(v, x) {
      is.list(v) && all(c("n", "d", "kind") %in% names(v))
    }),
    memory_gb = rule("a number above 0", function(v, x) is_number(v) && v > 0)
  )
}

check_cost <- function(x, argument = "x") {
  rules <- cost_rules()
  check_elements(x, argument, "a result of rowsparse_cost()", rules, names(rules))
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
  shown <- data.frame(
    method = table$method, route = table$route,
    passes = ifelse(is.na(table$passes), "-", format(table$passes)),
    memory = vapply(1e9 * table$memory_gb, memory_words, ""),
    time = vapply(table$seconds, time_words, ""),
    m = ifelse(is.na(table$m), "-", format(table$m)),
    iterations = ifelse(is.na(table$iterations), "-", format(table$iterations))
  )
  print(shown, row.names = FALSE)
  cat("Memory is beyond the data, time that of one thread within a factor of about 3; `m` and\n",
    "the iterations are assumed where they were not given.\n", sep = "")
  for (at in which(table$route == "too large")) {
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
  kinds <- colnames(object$work)
  structure(
    list(
      sizes = object$sizes, fits = sum(object$table$route != "too large"),
      table = object$table[order(object$table$seconds), c("method", "route", "seconds")],
      share = object$work / rowSums(object$work), kinds = kinds
    ),
    class = "summary.rowsparse_cost"
  )
}

# the kinds of work, as summary() calls them
work_words <- c(
  product = "products of matrices", read = "reading the data in products",
  sparse = "sparse products", eigen = "eigenvalues", moved = "simple arithmetic",
  calls = "checks and results", blocks = "reading blocks"
)

#' @export
print.summary.rowsparse_cost <- function(x, ...) {
  check_elements(x, "x", "a summary", list(
    table = rule("a data frame", function(v, x) is.data.frame(v)),
    share = rule("a matrix", function(v, x) is.matrix(v)),
    sizes = rule("the sizes of the data", function(v, x) is.list(v))
  ), c("table", "share", "sizes"))
  cat(sprintf("%d of %s fit: %s\n", x$fits, count_of(nrow(x$table), "method"),
    sizes_words(x$sizes)
  ))
  for (at in seq_len(nrow(x$table))) {
    share <- x$share[x$table$method[at], ]
    most <- names(share)[which.max(share)]
    cat(sprintf("  %-12s %-10s %-9s %.0f%% %s\n", x$table$method[at],
      time_words(x$table$seconds[at]), x$table$route[at], 100 * max(share), work_words[[most]]
    ))
  }
  invisible(x)
}

#' @rdname rowsparse_cost
#' @export
plot.rowsparse_cost <- function(x, ...) {
  check_cost(x)
  check_graphical(...)
  draw_picture(cost_picture(x), ...)
  invisible(x)
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
