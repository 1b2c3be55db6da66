# The roles of features for fspca(), held against the enumeration of all sets.

# a problem with copies, near-copies, a low rank or features that are locked in now and then
roles_problem_at_random <- function() {
  d <- sample(6:12, 1)
  n <- sample(c(4, 8, 20), 1)
  x <- matrix(stats::rnorm(n * d), n) %*% diag(stats::runif(d, 0.3, 1.5))
  if (stats::runif(1) < 0.3) x[, d] <- x[, 1] * sample(c(1, -1), 1)
  if (stats::runif(1) < 0.3) x[, d - 1] <- x[, 2] + 1e-3 * stats::rnorm(n)
  k <- sample(min(6, d - 1), 1)
  m <- sample(min(3, k, qr(centred(x))$rank), 1)
  include <- if (k > 1 && stats::runif(1) < 0.3) sample(d, 1) else integer()
  list(x = x, k = k, m = m, include = include, exclude = integer())
}

# what the engine says, by the columns of x
fspca_roles_of <- function(x, k, m, tolerance, include = integer(), exclude = integer(), set = NULL,
                     seconds = 5, sets = 0L, scale = FALSE) {
  data <- suppressWarnings(
    rowsparse:::as_data(x, scale, include = include, exclude = exclude)
  )
  locked <- rowsparse:::or_default(data$locked, integer())
  if (is.null(set)) set <- c(locked, setdiff(seq_len(data$d), locked))[seq_len(k)]
  found <- rowsparse:::fspca_roles(data, NULL, k, m, set, tolerance, seconds, sets, locked,
    integer(), list()
  )
  columns <- rowsparse:::outer_index(seq_len(data$d), data)
  found$columns <- columns
  found$best <- columns[found$best]
  at_columns <- function(values, none) replace(rep(none, ncol(x)), columns, values)
  found$low <- at_columns(found$low, -Inf)
  found$high <- at_columns(found$high, -Inf)
  witness <- vector("list", ncol(x))
  witness[columns] <- lapply(found$witness, function(set) columns[set])
  found$witness <- witness
  found
}

# the same from the best set of the exchanges, where the core begins with so many rows and has at
# most so many
roles_in_little_room <- function(x, k, m, tolerance, core, most, seconds = 20) {
  data <- rowsparse:::as_data(x, FALSE)
  operator <- rowsparse:::as_operator(data, m)
  operator$locked <- integer()
  leading <- rowsparse:::leading_eigenvectors(operator, m)
  start <- rowsparse:::run_fspca(operator, leading, k, "exchange", list(maxit = 100L))
  sizes <- utils::modifyList(rowsparse:::certificate_sizes(operator, k),
    list(core = core, most = most, few = most)
  )
  known <- list(
    m = m, value = sum(start$values), bound = sum(leading$values), time_limit = seconds, k = k,
    verbose = FALSE, tie = 0, form = FALSE, tolerance = tolerance, sets = 4L
  )
  entry <- rowsparse:::C_fspca_roles
  set <- as.integer(start$subset)
  .Call(entry, unclass(operator), list(given = set, best = set), c(known, sizes))
}

# sets and values, of those that are allowed
allowed_sets <- function(x, k, m, include = integer(), exclude = integer()) {
  all <- values_of_sets(x, k, m)
  kept <- apply(all$sets, 2, function(set) all(include %in% set) && !any(exclude %in% set))
  list(sets = all$sets[, kept, drop = FALSE], values = all$values[kept] * all$unit^2)
}

# the answer to every feature's question
answers_of <- function(all, best, d) {
  vapply(seq_len(d), function(i) {
    holds <- colSums(all$sets == i) > 0
    answers <- if (i %in% best) !holds else holds
    max(all$values[answers], -Inf)
  }, 0)
}

# claims that are wrong, in words, and how many roles are open
wrong_roles <- function(found, all, tolerance, locked) {
  best <- max(all$values)
  asked <- setdiff(found$columns, locked)
  answer <- answers_of(all, found$best, length(found$low))[asked]
  low <- found$low[asked]
  high <- found$high[asked]
  rounding <- 1e-12 * best
  wrong <- c(
    value = abs(found$value - best) > 1e-9 * best, bound = found$bound < best - rounding,
    low = any(low > answer + rounding), high = any(high < answer - rounding)
  )
  cuts <- (1 - tolerance) * found$value - found$slack
  open <- sum(vapply(cuts, function(cut) sum(low < cut & high >= cut), 0))
  list(wrong = names(wrong)[wrong], open = open)
}

# are numbers of sets and frequencies those of the enumeration? Where values lie at the cut
# itself, rounding decides
wrong_counts <- function(found, all, tolerance) {
  cuts <- (1 - tolerance) * found$value - found$slack
  wrong <- vapply(seq_along(cuts), function(t) {
    near <- all$values >= cuts[t]
    at_cut <- tolerance[t] > 0 && any(abs(all$values - cuts[t]) < 5 * found$slack)
    frequency <- tabulate(all$sets[, near], length(found$low))[found$columns]
    !at_cut && (!found$complete[t] || found$count[t] != sum(near) ||
      any(found$frequency[, t] != frequency))
  }, NA)
  any(wrong)
}

# problems with wrong claims, with open roles, and roles looked at
certify_fspca_roles <- function(problems) {
  outcome <- vapply(seq_len(problems), function(i) {
    p <- roles_problem_at_random()
    tolerance <- sort(sample(c(0, 0.001, 0.01, 0.05, 0.2), sample(3, 1)))
    found <- fspca_roles_of(p$x, p$k, p$m, tolerance, p$include, sets = 4L)
    all <- allowed_sets(p$x, p$k, p$m, p$include)
    said <- wrong_roles(found, all, tolerance, p$include)
    c(
      wrong = length(said$wrong) > 0, counts = wrong_counts(found, all, tolerance),
      open = said$open > 0, roles = length(tolerance) * (ncol(p$x) - length(p$include))
    )
  }, c(wrong = 0, counts = 0, open = 0, roles = 0))
  rowSums(outcome)
}
