# Paths over k of methods that search sets, fspca() and dscofs(): searches at some sizes or at all,
# and sets that are made from those of the sizes beside them.

# points and parameters of a path, or NULL where a solver has its sets by itself, or
# where rules are of one size
fspca_points <- function(data, sizes, given, ...) {
  if (chosen(given, "solver", fspca) != "exchange" || !is.null(given[["rules"]])) {
    return(NULL)
  }
  job <- fspca_path_job(data, sizes, given)
  fits <- improved_fits(search_sizes(job), job)
  proofs <- apply_with_progress(seq_along(sizes), function(at) {
    certify_set(job$operator, job$leading[[at]], fits[[at]], job$seconds, job$control$verbose)
  })
  before <- path_sets(fits)
  fits <- with_sets(fits, lapply(proofs, `[[`, "set"), job)
  if (!identical(path_sets(fits), before)) fits <- improved_fits(fits, job)
  # no set of fewer features carries more
  bounds <- rev(cummin(rev(vapply(proofs, `[[`, 0, "bound"))))
  made <- lapply(seq_along(sizes), function(at) {
    proofs[[at]]$bound <- bound_above(bounds[at], sum(fits[[at]]$values))
    parameters <- c(list(m = job$m[at], k = sizes[at]), job$parameters, job$control)
    quiet_fit("fspca", job$data, told_of_fspca(job$data, fits[[at]], proofs[[at]]),
      parameters = parameters
    )
  })
  list(
    points = lapply(made, function(fit) path_point(fit, fit$selected)),
    parameters = made[[length(made)]]$parameters
  )
}

fspca_path_job <- function(data, sizes, given) {
  args <- complete_arguments("fspca", given)
  control <- method_control(method_table()[["fspca"]], args)
  seconds <- args[["certify"]]
  m <- args[["m"]]
  check_fit_size("fspca", data, k = max(sizes), m = m)
  data <- with_spectrum(data, m)
  m <- pmin(resolve_dimension(m, data, most = max(sizes)), sizes)
  operator <- as_operator(data, max(m))
  operator$leading <- leading_eigenvectors(operator, max(m))
  list(
    data = data, operator = operator, sizes = sizes, m = m, control = control, seconds = seconds,
    leading = lapply(m, function(m) leading_eigenvectors(operator, m)),
    by_columns = reads_columns(operator, sizes), parameters = list(
      solver = "exchange", starts = args[["starts"]], certify = seconds,
      time_limit = args[["time_limit"]]
    )
  )
}

# exchanges need columns of S, and room for them
reads_columns <- function(operator, sizes) {
  operator$kind != "blocks" && as.double(operator$d) * max(sizes) <= 5e7
}

# Fits of every size, or of more than five sizes a few. Sets of few sizes lie far apart, and who
# asks for random starts has them at every size. Where columns of S are out of reach, a further
# start is the set before with the features of the largest scores: updates from it end no lower.
search_sizes <- function(job) {
  if (job$by_columns && length(job$sizes) > 5L && is.null(job$parameters$starts)) {
    return(few_searches(job$operator, job$sizes, job$m, job$control))
  }
  last <- NULL
  lapply(seq_along(job$sizes), function(at) {
    k <- job$sizes[at]
    starts <- cbind(
      fspca_starts(job$parameters$starts, k, job$data),
      if (!job$by_columns && !is.null(last)) { # the last set, grown by its scores
        sort(union(last$subset, order(-last$scores))[seq_len(k)])
      }
    )
    last <<- run_fspca(job$operator, job$leading[[at]], k, "exchange", job$control, starts)
    last
  })
}

# fits of the smallest size, of those next to a quarter and half of the largest one, and of those
# without room for exchanges; NULL for the others
few_searches <- function(operator, sizes, m, control = list(maxit = 100L)) {
  near <- vapply(max(sizes) / c(4, 2), function(size) which.min(abs(sizes - size)), 1L)
  lapply(seq_along(sizes), function(at) {
    if (at %in% c(1L, near) || sizes[at] <= m[at]) {
      run_fspca(operator, leading_eigenvectors(operator, m[at]), sizes[at], "exchange", control)
    }
  })
}

path_sets <- function(fits) lapply(fits, function(fit) sort(fit$subset))

# the fits with what the sets beside them give, and fits where there were none
improved_fits <- function(fits, job) {
  if (!job$by_columns) {
    return(fits)
  }
  few <- any(vapply(fits, is.null, NA))
  work <- exchange_work / if (few) 30 else 4
  fits <- with_sets(fits, chained_sets(job$operator, job$sizes, job$m, work, fits), job)
  # updates of a new set may take it beyond that of the next size
  values <- vapply(fits, function(fit) sum(fit$values), 0)
  if (few && is.unsorted(values)) improved_fits(fits, job) else fits
}

# the fits, with these sets where they carry more
with_sets <- function(fits, sets, job) {
  lapply(seq_along(fits), function(at) {
    leading <- job$leading[[at]]
    if (is.null(fits[[at]])) {
      start <- cbind(sets[[at]])
      k <- job$sizes[at]
      run_fspca(job$operator, leading, k, "exchange", job$control, start, 0, 0L)
    } else {
      with_better_set(fits[[at]], list(set = sort(sets[[at]])), job$operator, leading, job$control)
    }
  })
}

# Sets of all sizes, from fits of some: the best of what a size has and of what updates make of
# the sets beside it, upwards, downwards, and again while something changes, at last upwards: with
# one feature more a set carries no less, so that the values never fall along k. `m`: components by
# size; `work`: what exchanges may take at a size. A list of sorted sets.
chained_sets <- function(operator, sizes, m, work = exchange_work / 300,
                         fits = few_searches(operator, sizes, m), rounds = 3L) {
  sets <- lapply(fits, function(fit) if (!is.null(fit)) sort(fit$subset))
  values <- vapply(fits, function(fit) if (is.null(fit)) -Inf else sum(fit$values), 0)
  seen <- list()
  pass <- function(from, to) {
    set <- sets[[from]]
    way <- paste(from, to)
    if (sizes[to] <= m[to] || is.null(set) || identical(seen[[way]], set)) {
      return()
    }
    seen[[way]] <<- set
    found <- exchanged_set(operator, cbind(set), sizes[to], m[to], work)
    if (found$end_values > values[to] * (1 + 1e-13)) {
      sets[[to]] <<- sort(found$set)
      values[to] <<- found$end_values
    }
  }
  steps <- seq_len(length(sizes) - 1L)
  for (round in seq_len(rounds)) {
    before <- sets
    for (at in steps) pass(at, at + 1L)
    for (at in rev(steps)) pass(at + 1L, at)
    if (identical(sets, before)) break
  }
  for (at in steps) pass(at, at + 1L)
  sets
}
