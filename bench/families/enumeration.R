# Proofs of sets, and bounds at arbitrary predictors, against enumeration by the oracle of
# plain.R, which shares no code with the package: tiny problems with copies, 0/1 columns,
# separation, ties in time and few events. Times fall; rows count `weight` times.
tiny_problem <- function() {
  n <- sample(8:40, 1)
  d <- sample(5:6, 1)
  x <- matrix(stats::rnorm(n * d), n) + sample(c(0, 0, 1, 3), 1) * stats::rnorm(n)
  binary <- stats::runif(d) < sample(c(0, 0.5), 1)
  x[, binary] <- x[, binary] > sample(c(0, 1), 1)
  if (stats::runif(1) < 0.3) x[, 2] <- x[, 1]
  if (stats::runif(1) < 0.2) x[, 4] <- -x[, 3]
  family <- sample(c("gaussian", "binomial", "multinomial", "poisson", "cox"), 1)
  h <- drop(scale(x %*% (stats::rnorm(d) * stats::rbinom(d, 1, 0.4)), scale = FALSE))
  h <- pmin(h * sample(c(0.3, 1, 3), 1), 5)
  life <- stats::rexp(n, exp(h))
  y <- switch(family, gaussian = h + stats::rnorm(n), poisson = stats::rpois(n, exp(h)),
    binomial = if (stats::runif(1) < 0.3) 1 * (h > 0) else stats::rbinom(n, 1, stats::plogis(h)),
    multinomial = factor(max.col(cbind(h, stats::rnorm(n), -h)), 1:3),
    cox = replace(numeric(n), sample(n, sample(c(1:3, rep(n %/% 2, 6)), 1)), 1)
  )
  if (family == "gaussian") y <- y - mean(y)
  list(x = x, y = y, family = family, k = sample(1:3, 1), ridge = exp(stats::runif(1, -5, 2.7)),
    time = sort(if (stats::runif(1) < 0.5) ceiling(5 * life) else life, decreasing = TRUE),
    weight = sample(if (family != "gaussian" && stats::runif(1) < 0.2) 1:2 else c(1, 1), n, TRUE),
    sign = if (family != "multinomial" && stats::runif(1) < 0.2) sample(c(-1:1, 1L), d, TRUE)
  )
}

# what every set lowers the loss by; of signs that of a part of it whose fit has them
worths <- function(p, sets) {
  data <- in_rows(p, rep(seq_along(p$y), p$weight))
  none <- refit(replace(data, "x", list(0 * data$x)), 1L, p$ridge)$objective
  worth <- function(set) {
    fit <- refit(data, set, p$ridge)
    own <- utils::tail(fit$coefficients, length(set))
    if (is.null(p$sign) || all(p$sign[set] * own >= -1e-9)) none - fit$objective else 0
  }
  best <- function(set) {
    smaller <- if (!is.null(p$sign) && length(set) > 1) seq_along(set)
    max(worth(set), vapply(smaller, function(i) best(set[-i]), 0))
  }
  list(values = apply(sets, 2, best), none = none)
}

core_response <- function(p) {
  Y <- if (p$family == "multinomial") outer(as.integer(p$y), 1:3, "==") else as.matrix(p$y)
  list(family = p$family, Y = Y + 0, weights = as.double(p$weight), offset = 0 * p$weight,
    order = seq_along(p$y), last = length(p$y) + 1L - match(p$time, rev(p$time))
  )
}

# is the bound at random predictors below what a set has? The loss of C of cox is never below 0
wrong_at_predictors <- function(p, sets, all) {
  y <- core_response(p)
  H <- stats::rexp(1) * matrix(stats::rnorm(length(y$Y)), nrow(y$Y))
  at <- .Call(rowsparse:::C_family_dual, y, H)
  ties <- if (p$family == "cox") tapply(p$weight * p$y, p$time, sum) else 0
  w <- rowSums(crossprod(p$x, at$g)^2) / (2 * p$ridge)
  above <- all$none - sum(ties[ties > 0] * log(ties[ties > 0])) - at$least - all$values
  min(above + colSums(matrix(w[sets], nrow(sets)))) < -1e-7 * max(1, all$none)
}

# is what is claimed of a problem wrong?
examined <- function(seed) {
  set.seed(seed)
  repeat {
    p <- tiny_problem()
    data <- unclass(quiet(rowsparse:::as_data(p$x, TRUE)))
    if (!any(data$constant) && length(unique(p$y)) > is.factor(p$y) + 1) break
  }
  p$x <- .Call(rowsparse:::C_columns, data, seq_len(data$d))
  sets <- utils::combn(data$d, p$k)
  all <- worths(p, sets)
  proof <- .Call(rowsparse:::C_family_exact, data, core_response(p), list(seq_len(p$k)),
    list(k = p$k, ridge = p$ridge, sign = p$sign, tol = 1e-9, verbose = 0L,
      time_limit = if (stats::runif(1) < 0.2) 0 else 10
    )
  )[[1]]
  best <- max(all$values) * if (p$family == "gaussian") 2 else 1 # of twice the loss
  size <- max(best, 1e-4 * abs(all$none), 1e-8)
  c("with signs" = !is.null(p$sign),
    "false claims" = proof$complete && best > proof$value + 1e-6 * size,
    "bounds on the wrong side" = proof$bound < best - 1e-7 * size,
    "wrong bounds at arbitrary predictors" = wrong_at_predictors(p, sets, all)
  )
}

enumeration <- function(problems = as.integer(Sys.getenv("PROBLEMS", "20000"))) {
  title("Tiny problems against enumeration")
  counts <- rowSums(vapply(seq_len(problems), examined, logical(4)))
  markdown(data.frame(problems, t(counts), check.names = FALSE))
  gate(problems >= 20000 && counts[1] >= 2000 && all(counts[-1] == 0),
    "20 000 problems, 2000 with signs, nothing wrong."
  )
}
