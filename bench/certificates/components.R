# fspca(), its certificate, kmeans_ufs() and s2dfs(): what sets of features carry in m
# components, against the eigenvalues of all sets.

# Optimal is a set that none beats by more than rounding: 1e-12 of the objective, what ?fspca
# states; a certificate, 2e-9 of it, what ?alternatives states.
rounding_share <- 1e-12
certified_share <- 2e-9

# of `all` (values of sets) and a set, by its columns
value_of <- function(all, sets, set) all[match(list(sort(set)), asplit_columns(sets))]

# the number of components that the data allow, at most 3
components_of <- function(x, scale) {
  spectrum <- quad_spectrum(view(x, scale), 1)$values
  max(1, min(between(1, 3), sum(spectrum > 1e-10), nrow(x) - 1L))
}

component_problem <- function(family) {
  x <- design(family)
  scale <- stats::runif(1) < 0.4
  m <- components_of(x, scale)
  k <- between(m, ncol(x))
  if (family == "few samples") k <- max(m, min(ncol(x), nrow(x) - 1))
  c(list(x = x, scale = scale, m = m, k = k), arrive(x))
}

# By how much sums of eigenvalues of the moments given may be off, of tr(S); a bound holds
# for S as it is given, and otherwise without any allowance
allowed <- function(p) if (is_moments(p$form)) value_error(p) else 0
value_error <- function(p) data_error(p$form, p$x) * ncol(p$x)

wrong_sides <- function(inside, outside, all, sets, value) {
  above <- all > value * (1 + certified_share)
  holds <- function(feature) colSums(sets == feature) > 0
  flag(
    inside = any(vapply(inside, function(j) any(above & !holds(j)), NA)),
    outside = any(vapply(outside, function(j) any(above & holds(j)), NA))
  )
}

asplit_columns <- function(sets) {
  if (is.list(sets)) sets else lapply(seq_len(ncol(sets)), function(j) sets[, j])
}

# feature numbers, whichever way features are given
numbers_of <- function(features, names) {
  if (is.character(features)) match(features, names) else as.integer(features)
}

wrong_components <- function(fit, p, sets = utils::combn(ncol(p$x), p$k)) {
  claims <- c(-utils::tail(fit$objective, 1), -fit$bound)
  q <- quad_components(view(p$x, p$scale), sets, p$m, claims)
  best <- max(q$values)
  own <- value_of(q$values, sets, fit$selected)
  slack <- rounding_share * best + allowed(p)
  global <- if (fit$parameters$solver == "go") 1e-15 * ncol(p$x) else 0
  c(
    flag(
      objective = abs(q$claims[1] - own) > value_error(p) + 1e-11 * best,
      bound = q$claims[2] < best - slack,
      proof = identical(fit$gap, 0) && own < best - slack - global,
      certificate = fit$certificate$status == "optimal" &&
        own < best * (1 - certified_share) - slack,
      side = fit$bound > utils::tail(fit$objective, 1),
      gap = fit$gap < 0
    ),
    if (is.matrix(sets)) wrong_sides(numbers_of(fit$certificate$essential, fit$feature_names),
      numbers_of(fit$certificate$excluded, fit$feature_names), q$values - allowed(p), sets, own
    )
  )
}

trial_fspca <- function(family) {
  p <- component_problem(family)
  solver <- sample(c("exchange", "go", "ipu", "exact", "exact"), 1)
  certify <- one_of(list(FALSE, FALSE, TRUE, 0.001, 0.01, 0.1))
  fit <- fspca(p$data, p$k, p$m, solver = solver, certify = certify, scale = p$scale)
  none <- !identical(fit$gap, 0) && identical(fit$certificate$status, "not certified")
  verdict(wrong_components(fit, p), none, p$form, p = p, certify = certify, fit = fit)
}

# What alternatives(tolerance = 0) claims of a panel, given by its columns
wrong_certificate <- function(found, p, panel) {
  sets <- utils::combn(ncol(p$x), p$k)
  v <- view(p$x, p$scale)
  q <- quad_components(v, sets, p$m, c(found$value, found$bound))
  best <- max(q$values)
  slack <- rounding_share * best + allowed(p)
  own <- quad_components(v, matrix(sort(panel)), p$m)$values
  reached <- value_of(q$values, sets, numbers_of(found$best, found$feature_names))
  error <- value_error(p) + 1e-11 * best
  flag(
    value = abs(q$claims[1] - reached) > error, bound = q$claims[2] < best - slack,
    proof = isTRUE(found$gap < certified_share) && reached < best * (1 - certified_share) - slack,
    share = best > 0 && abs(found$share * reached - own) > 2 * error + slack,
    gap = isTRUE(found$gap < 0)
  )
}

certificate_of <- function(data, panel, p, seconds) {
  alternatives(data, panel, method = "fspca", m = p$m, scale = p$scale, tolerance = 0,
    seconds = seconds
  )
}

trial_bound <- function(seconds) {
  function(family) {
    p <- component_problem(family)
    panel <- sort(sample.int(ncol(p$x), p$k))
    limit <- seconds()
    time <- system.time(gcFirst = FALSE, found <- certificate_of(p$data, panel, p, limit))
    late <- sum(time[1:2]) > 1.1 * limit + 1
    verdict(c(wrong_certificate(found, p, panel), flag(time = late)), found$gap > 2e-9, p$form,
      p = p, panel = panel, limit = limit, found = found
    )
  }
}

# Columns at the rounding level of large means, which count as constant
trial_constant <- function(family) {
  x <- design(family)
  flat <- sample.int(ncol(x), between(1, ncol(x) - 2))
  size <- 10^stats::runif(length(flat), 14, 18)
  x[, flat] <- rep(size, each = nrow(x))
  x[sample.int(nrow(x), 2), flat] <- rep(size * (1 + 2^-52), each = 2)
  scale <- stats::runif(1) < 0.7
  m <- components_of(x, scale)
  k <- between(m, ncol(x))
  a <- arrive(x, forms = names(sample_forms))
  p <- list(x = x, scale = scale, m = m, k = k, form = a$form)
  if (stats::runif(1) < 0.5) {
    fit <- fspca(a$data, k, m, solver = sample(c("exchange", "exact", "go"), 1), scale = scale)
    wrong <- wrong_components(fit, p)
    wrong <- c(wrong, flag(constant = k <= ncol(x) - length(flat) && any(fit$selected %in% flat)))
    return(verdict(wrong, !identical(fit$gap, 0), a$form, p = p, fit = fit))
  }
  panel <- sample.int(ncol(x), k)
  found <- certificate_of(a$data, panel, p, 0.01)
  verdict(wrong_certificate(found, p, panel), found$gap > 2e-9, a$form,
    p = p, panel = panel, found = found
  )
}

# ---- k-means ----------------------------------------------------------------------------

trial_kmeans <- function(family) {
  x <- design(family)
  scale <- stats::runif(1) < 0.5
  k <- between(1, min(5, ncol(x)))
  clusters <- between(2, min(5, nrow(x)))
  a <- arrive(x)
  warned <- character()
  fit <- withCallingHandlers(kmeans_ufs(a$data, k, clusters, scale = scale), warning = function(w) {
    warned <<- c(warned, class(w))
  })
  all <- quad_spectrum(view(x, scale), clusters, c(-utils::tail(fit$objective, 1), -fit$bound))
  apart <- if (clusters < ncol(x)) all$values[clusters] - all$values[clusters + 1] else 1
  off <- ncol(x) * data_error(a$form, x)
  wrong <- if (all$values[min(clusters, ncol(x))] < 1e-12 || apart > 1e-7 + 1e3 * off) {
    # what the set holds moves by rounding over the distance of the eigenvalues
    slack <- 1e-11 + (1e-14 + off) / max(apart, 1e-7)
    best <- sum(sort(all$diagonal, TRUE)[seq_len(k)])
    own <- sum(all$diagonal[fit$selected])
    flag(
      objective = abs(all$claims[1] - own) > slack,
      bound = !is.na(fit$bound) && all$claims[2] < best - slack,
      proof = isTRUE(abs(fit$gap) < 1e-9) && own < best - slack
    )
  } else {
    # components that are not unique: the claim may not hang on the order of the columns
    turn <- sample.int(ncol(x))
    other <- kmeans_ufs(all_forms[[a$form]](x[, turn], NULL), k, clusters, scale = scale)
    said <- any(grepl("unique|tied|ties", warned)) || isTRUE(fit$unique == FALSE)
    differ <- abs(fit$bound - other$bound) > 1e-7 * abs(fit$bound)
    flag(order = differ && identical(fit$gap, 0) && !said)
  }
  verdict(wrong, is.na(fit$bound), a$form,
    x = x, k = k, clusters = clusters, scale = scale, apart = apart, fit = fit, warned = warned
  )
}

component_claims <- list(
  fspca = claim(
    paste("`fspca()`: no set is better than one with a gap of 0 or certified, no bound",
      "is on the wrong side"
    ),
    1.5, trial_fspca
  ),
  certificate = claim(
    paste("`alternatives(tolerance = 0)` for `fspca()`: no bound is below the best of all sets,",
      "no set called the best is beaten"
    ),
    1, trial_bound(function() 5)
  ),
  certificate_limit = claim("The same with 0 to 0.1 seconds, and the time is kept",
    1, trial_bound(function() one_of(c(0, 1e-4, 1e-3, 0.01, 0.1)))
  ),
  constant = claim("`fspca()` and its certificate with columns at the rounding level: the same",
    0.3, trial_constant
  ),
  kmeans = claim(
    paste("`kmeans_ufs()`, exact: no set is better, and no claim hangs on the order of",
      "columns"
    ),
    1.5, trial_kmeans
  )
)
