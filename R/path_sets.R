# Paths over k of methods that search sets. That of fspca(): the data and the leading eigenvectors
# once for all sizes, searches at some sizes or at all, and sets that are made from those of the
# sizes beside them. At the end sets alone, also as starts of dscofs().

# points and parameters of a path, or NULL where a solver has its sets by itself, or
# where rules are of one size
fspca_points <- function(data, sizes, given, ...) {
  if (chosen(given, "solver", fspca) != "exchange" || !is.null(given[["rules"]])) {
    return(NULL)
  }
  job <- fspca_path_job(data, sizes, given)
  fits <- if (is_chained(job)) chained_fits(job) else improve_sizes(search_sizes(job), job)
  proofs <- apply_with_progress(seq_along(sizes), function(at) {
    certify_set(job$operator, job$leading[[at]], fits[[at]], job$seconds, job$control$verbose)
  })
  before <- path_sets(fits)
  fits <- lapply(seq_along(sizes), function(at) replaced_set(proofs[[at]]$set, fits[[at]], at, job))
  if (!identical(path_sets(fits), before)) fits <- improve_sizes(fits, job)
  values <- path_values_of(fits)
  # no set of fewer features carries more
  bounds <- vapply(proofs, `[[`, 0, "bound")
  bounds <- mapply(bound_above, rev(cummin(rev(bounds))), values)
  made <- lapply(seq_along(sizes), function(at) {
    proofs[[at]]$bound <- bounds[at]
    fspca_path_fit(fits[[at]], proofs[[at]], at, job)
  })
  list(
    points = lapply(made, function(fit) path_point(fit, fit$selected)),
    parameters = made[[length(made)]]$parameters
  )
}

fspca_path_job <- function(data, sizes, given) {
  control <- resolve_control(or_default(given[["control"]], rowsparse_control()),
    tol = 0, maxit = 100L
  )
  seconds <- check_certify(or_default(given[["certify"]], FALSE))
  m <- given[["m"]]
  check_fit_size("fspca", data, k = max(sizes), m = m, control = control)
  data <- with_spectrum(data, m)
  m <- pmin(resolve_dimension(m, data, most = max(sizes)), sizes)
  operator <- as_operator(data, max(m))
  operator$leading <- leading_eigenvectors(operator, max(m))
  list(
    data = data, operator = operator, sizes = sizes, m = m, control = control,
    leading = lapply(m, function(m) leading_eigenvectors(operator, m)), seconds = seconds,
    starts = given[["starts"]], time_limit = or_default(given[["time_limit"]], 60),
    by_columns = reads_columns(operator, sizes)
  )
}

# exchanges need columns of S, and room for them
reads_columns <- function(operator, sizes) {
  operator$kind != "blocks" && as.double(operator$d) * max(sizes) <= 5e7
}

# Sets of few sizes lie far apart, and who asks for random starts has them at every size
is_chained <- function(job) {
  job$by_columns && length(job$sizes) > 5L && is.null(job$starts)
}

# the sets of a chain, with what a fit tells of them; no updates of a set end lower
chained_fits <- function(job) {
  sets <- chained_sets(job$operator, job$sizes, job$m, exchange_work / 30)
  fits <- lapply(seq_along(sets), function(at) {
    start <- matrix(sets[[at]], job$sizes[at])
    run_fspca(job$operator, job$leading[[at]], job$sizes[at], "exchange", job$control, start, 0, 0L)
  })
  if (is.unsorted(path_values_of(fits))) improve_sizes(fits, job) else fits
}

# Every size by itself. Where columns of S are out of reach, a further start is the set before
# with the features of the largest scores: updates from it end no lower.
search_sizes <- function(job) {
  last <- NULL
  lapply(seq_along(job$sizes), function(at) {
    k <- job$sizes[at]
    starts <- fspca_starts(job$starts, k, job$data)
    if (!job$by_columns && !is.null(last)) {
      starts <- cbind(starts, grown_by_scores(last, k), deparse.level = 0)
    }
    last <<- run_fspca(job$operator, job$leading[[at]], k, "exchange", job$control, starts)
    last
  })
}

grown_by_scores <- function(fit, k) {
  others <- order(-fit$scores)
  others <- others[!others %in% fit$subset]
  sort(c(fit$subset, others[seq_len(k - length(fit$subset))]))
}

# Upwards, downwards, and again while something changes, at last upwards: with one feature more
# a set carries no less, so that the values never fall along k.
improve_sizes <- function(fits, job, rounds = 3L) {
  if (!job$by_columns) {
    return(fits)
  }
  count <- length(fits)
  seen <- list(up = vector("list", count), down = vector("list", count))
  improve <- function(from, to, way) {
    set <- sort(fits[[from]]$subset)
    if (!identical(seen[[way]][[to]], set)) {
      seen[[way]][[to]] <<- set
      fits[[to]] <<- with_neighbour(set, fits[[to]], to, job)
    }
  }
  for (round in seq_len(rounds)) {
    before <- path_sets(fits)
    for (at in seq_len(count - 1L)) improve(at, at + 1L, "up")
    for (at in rev(seq_len(count - 1L))) improve(at + 1L, at, "down")
    if (identical(path_sets(fits), before)) break
  }
  for (at in seq_len(count - 1L)) improve(at, at + 1L, "up")
  fits
}

path_sets <- function(fits) lapply(fits, function(fit) sort(fit$subset))
path_values_of <- function(fits) vapply(fits, function(fit) sum(fit$values), 0)

# the fit of a size, or one from the set of another size where that carries more
with_neighbour <- function(set, fit, at, job) {
  k <- job$sizes[at]
  m <- job$m[at]
  if (fit$is_global || k <= m || k == job$data$d) {
    return(fit)
  }
  found <- resized_set(job$operator, set, k, m, exchange_work / 4)
  if (found$value > sum(fit$values) * (1 + 1e-13)) replaced_set(found$set, fit, at, job) else fit
}

# a set of k features made from one of another size, by at most so much work, and what it carries
resized_set <- function(operator, set, k, m, work) {
  .Call(C_fspca_resize, unclass(operator), set, list(k = k, m = m, work = work))
}

replaced_set <- function(set, fit, at, job) {
  with_better_set(fit, list(set = sort(set)), job$operator, job$leading[[at]], job$control)
}

fspca_path_fit <- function(fit, proof, at, job) {
  parameters <- list(
    m = job$m[at], k = job$sizes[at], solver = "exchange", starts = job$starts,
    certify = job$seconds, time_limit = job$time_limit
  )
  quiet_fit("fspca", job$data, told_of_fspca(job$data, fit, proof),
    parameters = c(parameters, job$control)
  )
}

# ---- sets alone ------------------------------------------------------------------

# Sets of all sizes as starts: a search of its own at the smallest size and at those next to a
# quarter and half of the largest one, and otherwise what updates make of the sets beside it,
# upwards, downwards and upwards again. `m`: components by size; `work`: what exchanges may take
# at a size. A list of sorted sets.
chained_sets <- function(operator, sizes, m, work = exchange_work / 300) {
  leading <- leading_eigenvectors(operator, max(m))
  sets <- vector("list", length(sizes))
  values <- rep(-Inf, length(sizes))
  keep <- function(at, set, value) {
    if (value > values[at]) {
      sets[[at]] <<- sort(set)
      values[at] <<- value
    }
  }
  for (at in searched_sizes(sizes, m)) {
    fit <- run_fspca(operator, first_pairs(leading, m[at]), sizes[at], "exchange",
      list(maxit = 100L)
    )
    keep(at, fit$subset, sum(fit$values))
  }
  seen <- list()
  pass <- function(from, to, way) {
    if (sizes[to] <= m[to] || is.null(sets[[from]]) ||
      identical(seen[[way]][[as.character(to)]], sets[[from]])) {
      return()
    }
    seen[[way]][[as.character(to)]] <<- sets[[from]]
    found <- resized_set(operator, sets[[from]], sizes[to], m[to], work)
    keep(to, found$set, found$value)
  }
  steps <- seq_len(length(sizes) - 1L)
  for (way in c("up", "down", "up")) {
    for (at in if (way == "up") steps else rev(steps)) {
      if (way == "up") pass(at, at + 1L, way) else pass(at + 1L, at, way)
    }
  }
  sets
}

# positions of the sizes with a search of their own: also those without room for exchanges
searched_sizes <- function(sizes, m) {
  near <- vapply(max(sizes) / c(4, 2), function(size) which.min(abs(sizes - size)), 1L)
  sort(unique(c(which(sizes <= m), 1L, near)))
}

first_pairs <- function(leading, m) {
  first <- seq_len(m)
  list(values = leading$values[first], vectors = leading$vectors[, first, drop = FALSE])
}
