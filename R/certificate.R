# The certificate of a set of features for fspca(): an upper bound of the variance that any k
# features carry in m components, see ?alternatives.

# FALSE, TRUE (a minute) or seconds, as seconds
check_certify <- function(certify, argument = "certify") {
  if (is.logical(certify)) certify <- if (check_flag(certify, argument)) 60 else 0
  check_number(certify, argument, 0)
}

# the two bounds that cost nothing
free_bounds <- function(operator, leading, k) {
  square <- operator$square
  locked <- operator$locked
  others <- setdiff(seq_along(square), locked)
  first <- sort(square[others], decreasing = TRUE)[seq_len(k - length(locked))]
  c(
    eigenvalues = sum(leading$values) * (1 + 1e-8),
    variances = (sum(square[locked]) + sum(first)) * (1 + 1e-11)
  )
}

# differences of values that do not count, as shares: of a certificate, and of a proof
certify_tie <- 1e-9
exact_tie <- 1e-12

# rows of the first core and of the largest one, nodes
certify_sizes <- list(core = 60L, most = 700L, nodes = 1e6)

# the same, as far as there is memory
certificate_sizes <- function(operator, k) {
  room <- memory_bytes() / 8 / 4 / operator$d
  most <- max(k + 1, min(certify_sizes$most, room))
  utils::modifyList(certify_sizes, list(most = as.integer(max(most, 1.5 * k))))
}

# `fit`: as run_fspca() gives it, with its set, its value and whether that is optimal
certify_set <- function(operator, leading, fit, seconds, verbose = FALSE, tie = certify_tie) {
  k <- length(fit$subset)
  free <- free_bounds(operator, leading, k)
  value <- sum(fit$values)
  proof <- list(
    set = fit$subset, value = value, bound = bound_above(min(free), value), free = free,
    is_certified = fit$is_global, complete = FALSE, essential = integer(),
    excluded = integer(), nodes = 0, evaluations = 0, seconds = 0, trace = NULL
  )
  if (fit$is_global) proof$bound <- value
  if (fit$is_global || seconds == 0 || value <= 0) {
    return(proof)
  }
  check_certifiable(operator)
  settings <- c(
    list(
      m = length(fit$values), value = value, bound = proof$bound, time_limit = seconds,
      verbose = verbose, tie = tie, form = operator$kind == "blocks"
    ),
    certificate_sizes(operator, k)
  )
  found <- .Call(C_fspca_bound, unclass(operator), fit$subset, settings)
  proof[names(found)] <- found
  proof$essential <- which(found$marks == 1L)
  proof$excluded <- which(found$marks == 2L)
  proof$bound <- bound_above(proof$bound, proof$value)
  proof$is_certified <- TRUE
  proof
}

# features of data in blocks whose S is formed
formed_features <- 3000L

check_certifiable <- function(operator) {
  refuse_if(operator$kind == "blocks" && operator$d > formed_features, "size", "x",
    sprintf("must have at most %d features for a certificate of data in blocks, which needs S",
      formed_features
    ), operator$d, "Certify from the moments of the most variable features"
  )
}

# A bound may be below what a set carries by rounding, and is then what the set carries; by
# more than that it is wrong, and so is everything that would be said with it
bound_above <- function(bound, value) {
  if (!isTRUE(bound >= value * (1 - optimal_gap))) {
    stop_core("internal", "the bound of a set",
      sprintf("a set carries %.17g, above the bound %.17g", value, bound))
  }
  max(bound, value)
}

# gaps that are rounding, and the ties that may be left out
optimal_gap <- 2e-9

certificate_words <- function(gap, is_certified = TRUE) {
  if (!is_certified) {
    return("not certified")
  }
  if (!is.finite(gap)) {
    return("nothing carried, where another panel carries something")
  }
  if (gap <= optimal_gap) "optimal" else sprintf("within %s of the optimum", format_above(gap))
}

# "2.1%" of a share of 0.0201: rounded up, as what is said must hold
format_above <- function(share) {
  scale <- 10^max(0, 1 - floor(log10(100 * share)))
  paste0(format(ceiling(100 * share * scale) / scale), "%")
}
