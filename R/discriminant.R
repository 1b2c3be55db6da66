# The classifier of every fit to classes: linear discriminants with a shrunken covariance matrix,
# and probabilities as sure as the samples bear out when each is left out in turn.
#
# ?predict.rowsparse has the formulas; beside its names there are
#   z = x - m_y   the samples less the mean of their own class, and K, the number of classes
#   v_j           variances within the classes, sum of z_j^2 over n - K; log v*_j is moved to the
#                 median by the share of the differences among v that is noise
#
# Logarithms, since a median over variances in several units would hide all features in large units:
# there the share is near 0, and a small power of their ratio near 1. Sums are formed of features in
# their standard deviations. With weights w a sample counts as so many in every sum, and n is the
# sum of the weights; relative ones have the mean 1. `one` is the weight of what is seen once: 1 of
# counts, w of relative weights, so that sums of squares of w z^2 are those of w one z^4.

least_covariance_share <- 0.01
least_correlation_share <- 1e-9
# Share of the variance over all samples that is left to features constant in every class
least_variance <- 1e-8
temperature_range <- c(0.01, 1)

# A linear rule from samples (n x k), the number of each one's class, and how many classes there
# are; `lost`: degrees of freedom that centring within the levels of a block took. The rule gives
# E, of which the temperature is to be taken.
discriminant <- function(x, class, count, weights = NULL, lost = 0) {
  weights <- or_default(weights, rep(1, nrow(x)))
  if (!are_counts(weights)) weights <- shares_of(weights) * nrow(x)
  rule_of_groups(class_groups(x, class, count, weights, lost), ncol(x))
}

# The same from sums over the samples: S = Xc'Xc and B = Xc'Y of the centred features and the
# indicators, and the size of each class, by their weights n in all
discriminant_of_sums <- function(S, B, size, lost = 0) {
  rule_of_groups(summed_groups(S, B, size, lost), nrow(B))
}

# Without degrees of freedom or features that vary the rule sees the shares of the classes alone
rule_of_groups <- function(groups, k) {
  prior <- groups$size / sum(groups$size)
  out <- list(
    slope = matrix(0, k, length(prior)), intercept = log(prior), prior = prior, temperature = 1,
    shrinkage = c(covariance = 1, variance = 1)
  )
  if (length(groups$varying) == 0L || groups$degrees <= 0) {
    return(out)
  }
  covariance <- if (is.null(groups$residual)) covariance_of_sums else covariance_of_samples
  found <- covariance(groups)
  inside <- inverse_times_means(found)
  out$slope[groups$varying, ] <- found$vectors %*% inside / (groups$unit * found$scale)
  out$intercept <- log(prior) - colSums(t(found$mean) * inside) / 2 -
    drop(groups$center %*% out$slope[groups$varying, , drop = FALSE])
  out$temperature <- found$temperature
  out$shrinkage[] <- c(found$share, found$variance_share)
  if (!is.null(found$loss)) {
    of_samples <- function(values) stats::weighted.mean(values, groups$weights, na.rm = TRUE)
    out$left_out <- c(
      rule = of_samples(found$loss), prior = -sum(prior * log(prior)),
      wrong = of_samples(found$wrong), wrong_prior = 1 - max(prior)
    )
  }
  out
}

# S*^-1 m_c along the eigenvectors, a column for each class
inverse_times_means <- function(found) {
  t(found$mean) / ((1 - found$share) * found$values + found$share)
}

# E of new samples
discriminant_scores <- function(rule, x) x %*% rule$slope + rep(rule$intercept, each = nrow(x))

softmax <- function(scores) {
  scores <- exp(scores - row_max(scores))
  scores / rowSums(scores)
}

row_max <- function(x) x[cbind(seq_len(nrow(x)), max.col(x, ties.method = "first"))]

# ---- classes and their means ---------------------------------------------------------

# Samples in standard deviations of the features that vary, and what belongs to the classes;
# `residual` is that of each sample's own mean, times the root of its weight
class_groups <- function(x, class, count, weights, lost) {
  n <- sum(weights)
  center <- colSums(x * weights) / n
  x <- x - rep(center, each = nrow(x))
  spread <- vapply(seq_len(ncol(x)), function(j) max(abs(x[, j])), 0)
  varying <- which(spread > 8 * .Machine$double.eps * abs(center))
  x <- x[, varying, drop = FALSE] / rep(spread[varying], each = nrow(x))
  deviation <- sqrt(colSums(x^2 * weights) / (n - 1))
  x <- x / rep(deviation, each = nrow(x))
  # count x k sums of the rows of each class, all of which have samples
  class_sums <- function(x) unname(rowsum(x, class))
  size <- class_sums(cbind(weights))[, 1]
  mean <- class_sums(x * weights) / size
  list(
    class = class, weights = weights, one = if (are_counts(weights)) weights^0 else weights,
    size = size, mean = mean, residual = (x - mean[class, , drop = FALSE]) * sqrt(weights),
    degrees = n - count - lost, varying = varying, center = center[varying],
    unit = spread[varying] * deviation, log_unit = log(spread[varying]) + log(deviation)
  )
}

# the same of sums, with the scatter within the classes in place of the residuals
summed_groups <- function(S, B, size, lost) {
  n <- sum(size)
  deviation <- sqrt(pmax(diag(S), 0) / (n - 1))
  varying <- which(deviation > 0)
  unit <- deviation[varying]
  mean <- t(B[varying, , drop = FALSE] / unit) / size
  S <- S[varying, varying, drop = FALSE] / unit / rep(unit, each = length(unit))
  list(
    size = size, mean = mean, scatter = S - crossprod(mean * sqrt(size)),
    degrees = n - length(size) - lost, varying = varying, center = numeric(length(varying)),
    unit = unit, log_unit = log(unit)
  )
}

# ---- the covariance matrix -----------------------------------------------------------

# The share l of S* and the temperature, list(share, temperature, loss, ...). Of features that
# nearly depend on each other covariance_share() wipes out the differences that tell classes apart:
# the smaller share of correlation_share() lowers the loss of samples left out, else seldom.
covariance_of_samples <- function(groups) {
  Z <- groups$residual
  n <- sum(groups$weights)
  part <- groups$one / groups$weights
  v <- pmax(colSums(Z^2) / groups$degrees, least_variance)
  # the variance of a mean of squares: n / (n - 1)^3 times their squares about the mean
  noise <- n / (n - 1)^3 * pmax(0, colSums(part * (Z^2)^2) - colSums(Z^2)^2 / n)
  found <- shrunken_covariance(groups, v, noise)
  Z <- Z / rep(sqrt(v), each = nrow(Z))
  first <- judged_share(found, covariance_share(Z, groups$degrees, n, part), groups)
  share <- if (ncol(Z) <= n) correlation_share(Z, groups$degrees, n, part) else 1
  if (share >= first$share) {
    return(first)
  }
  second <- judged_share(found, share, groups)
  if (is_clearly_above(first$loss - second$loss, groups)) second else first
}

# What needs single samples is taken as it is for normal ones: the variance of v_j is
# 2 v_j^2 / (n - K), and the temperature what errors of the means and of S* take off. As no sample
# can be left out to choose, the share of correlations is taken with ten samples for each feature.
covariance_of_sums <- function(groups) {
  v <- pmax(diag(groups$scatter) / groups$degrees, least_variance)
  found <- shrunken_covariance(groups, v, 2 * v^2 / groups$degrees)
  R <- groups$scatter / groups$degrees / tcrossprod(sqrt(v))
  r <- R[row(R) != col(R)]
  sharp <- sum(groups$size) >= 10 * ncol(R)
  noise <- sum(if (sharp) (1 - pmin(r^2, 1))^2 else 1 + r^2) / groups$degrees
  found$share <- noise_share(noise, sum(r^2),
    if (sharp) least_correlation_share else least_covariance_share
  )
  found$temperature <- normal_temperature(found, groups)
  found
}

noise_share <- function(noise, signal, least) {
  if (signal > 0) min(1, max(least, noise / signal)) else 1
}

# S* without its share: `scale`, the roots of v*, and in these units the eigenvectors and
# eigenvalues of the scatter matrix, with residuals and means along them. `noise`: the variances of
# the v. Of more features than samples there are vectors for all that samples and means span.
shrunken_covariance <- function(groups, v, noise) {
  shrunken <- shrink_variances(v, noise, groups$log_unit)
  scale <- sqrt(shrunken$variance)
  mean <- groups$mean / rep(scale, each = nrow(groups$mean))
  Z <- groups$residual
  basis <- NULL
  if (is.null(Z)) {
    scatter <- groups$scatter / tcrossprod(scale)
  } else {
    Z <- Z / rep(scale, each = nrow(Z))
    if (ncol(Z) > nrow(Z)) {
      basis <- svd(rbind(Z, mean), nu = 0)$v
      Z <- Z %*% basis
    }
    scatter <- crossprod(Z)
  }
  spectrum <- eigen(scatter / groups$degrees, symmetric = TRUE)
  vectors <- if (is.null(basis)) spectrum$vectors else basis %*% spectrum$vectors
  list(
    scale = scale, variance_share = shrunken$share, vectors = vectors,
    values = pmax(spectrum$values, 0), mean = mean %*% vectors,
    residual = if (!is.null(Z)) Z %*% spectrum$vectors
  )
}

# `variance` in units of the standard deviations, whose logarithms are log_unit
shrink_variances <- function(v, noise, log_unit) {
  size <- exp(2 * (log_unit - max(log_unit)))
  noise <- sum(noise * size^2)
  differences <- sum((v * size - stats::median(v * size))^2)
  share <- if (noise >= differences) 1 else noise / differences
  logarithm <- log(v) + 2 * log_unit
  list(share = share, variance = v * exp(share * (stats::median(logarithm) - logarithm)))
}

# The share of the squared correlations, r = Z'Z / degrees, that is noise: the sums over all
# pairs of features, from the smaller side of Z. Of n samples a row is so many times `part`.
covariance_share <- function(Z, degrees, n = nrow(Z), part = 1) {
  square <- Z^2
  gram <- if (ncol(Z) <= nrow(Z)) crossprod(Z) else tcrossprod(Z)
  products <- sum(gram^2) - sum(colSums(square)^2)
  if (products <= 1e-12 * sum(gram^2)) products <- 0 # rounding, as of a single feature
  fourth <- sum(part * rowSums(square)^2) - sum(part * square^2)
  noise <- n / (n - 1)^3 * (fourth - products / n)
  noise_share(noise * degrees^2, products, least_covariance_share)
}

# The same share for the correlations r_ij proper: V_ij, the sum over the samples of
# (z_i z_j - r_ij (z_i^2 + z_j^2) / 2)^2, takes the place of the squares about their mean.
correlation_share <- function(Z, degrees, n = nrow(Z), part = 1) {
  square <- Z^2
  R <- crossprod(Z) / degrees
  both <- crossprod(part * square, square)
  odd <- crossprod(part * Z * square, Z)
  fourth <- diag(both)
  V <- both - R * (odd + t(odd)) + R^2 / 4 * (outer(fourth, fourth, "+") + 2 * both)
  pair <- row(R) != col(R)
  noise_share(n / (n - 1)^3 * sum(pmax(V[pair], 0)), sum(R[pair]^2), least_correlation_share)
}

judged_share <- function(found, share, groups) {
  found$share <- share
  c(found, judged_scores(left_out_scores(found, groups), groups$class, groups$weights))
}

# is the mean of these differences more than two standard errors above 0?
is_clearly_above <- function(difference, groups) {
  weights <- replace(groups$weights, is.na(difference), 0)
  share <- weights / sum(weights)
  mean <- sum(share * difference, na.rm = TRUE)
  squares <- share * groups$one / sum(weights) * (difference - mean)^2
  isTRUE(mean > 2 * sqrt(sum(squares, na.rm = TRUE)))
}

# the share of the distances between the classes that new samples of normal classes would show
normal_temperature <- function(found, groups) {
  share <- groups$size / sum(groups$size)
  between <- sum(share * colSums(t(found$mean) * inverse_times_means(found)))
  kept <- sum(found$values / ((1 - found$share) * found$values + found$share))
  of_covariance <- 1 - ((1 - found$share) * kept + 1) / groups$degrees
  of_means <- (length(share) - 1) * kept / sum(groups$size)
  shown <- if (between > 0) of_covariance - of_means / between else 1
  min(temperature_range[2], max(temperature_range[1], shown))
}

# ---- each sample left out ------------------------------------------------------------

# E of each sample by the rule without it, with l and v* as they are. Its class loses the weight w
# of one: the mean moves by w z / (n_c - w), and the scatter loses f z z', f = w n_c / (n_c - w),
# so that (Sherman and Morrison) with M the matrix before that loss
#   u' S^-1 u = u'M^-1 u + g (u'M^-1 z)^2 / (1 - g z'M^-1 z),  g = (1 - l) f / degrees.
# u is the sample less the mean of a class. Rows are NA where a class has one sample.
left_out_scores <- function(found, groups) {
  class <- groups$class
  own <- cbind(seq_along(class), class)
  w <- groups$one
  rest <- groups$size[class] - w
  rest[rest <= 1e-8 * groups$size[class]] <- NA
  degrees <- groups$degrees - w
  of_scatter <- ifelse(degrees > 0, (1 - found$share) / degrees, 0)
  f <- groups$size[class] / rest # of the residual times the root of w
  inverse <- 1 / (outer(of_scatter * groups$degrees, found$values) + found$share)
  Z <- found$residual / sqrt(groups$weights)
  M <- found$mean
  h <- rowSums(Z^2 * inverse)
  across <- (Z * inverse) %*% t(M)
  toward <- across[own] - across # z'M^-1 (m_y - m_c)
  apart <- across # (m_y - m_c)'M^-1 (m_y - m_c)
  for (y in seq_len(nrow(M))) {
    gaps <- M - rep(M[y, ], each = nrow(M))
    apart[class == y, ] <- inverse[class == y, , drop = FALSE] %*% t(gaps^2)
  }
  step <- h + toward
  squared <- step + toward + apart
  step[own] <- f * h
  squared[own] <- f^2 * h
  g <- of_scatter * f * w
  E <- -(squared + g * step^2 / pmax(1 - g * h, 1e-10)) / 2
  size <- matrix(groups$size, nrow(E), ncol(E), byrow = TRUE)
  size[own] <- rest
  E + log(size / (sum(groups$size) - w))
}

# The T of least logarithmic loss on the samples left out, and by sample this loss and whether the
# class is wrong, NA where E is. Separable samples would have T = 1 however few they are: one error
# per class at the lower quartile of the margins goes with them.
judged_scores <- function(E, class, weights) {
  unknown <- is.na(rowSums(E))
  E[unknown, ] <- 0
  weights[unknown] <- 0
  own <- cbind(seq_along(class), class)
  margin <- E[own] - row_max(replace(E, own, -Inf))
  right <- margin > 0
  error <- if (any(right)) lower_quartile(margin[right], weights[right]) else 0
  # exponents that all T share, but for the 0 of the largest score
  largest <- cbind(seq_along(class), max.col(E, ties.method = "first"))
  below <- E - E[largest]
  of_own <- pmin(margin, 0)
  below[largest] <- below[, ncol(E)]
  below <- below[, -ncol(E), drop = FALSE]
  ones <- rep(1, ncol(below))
  of_samples <- function(temperature) {
    drop(log1p(exp(temperature * below) %*% ones)) - temperature * of_own
  }
  loss <- function(temperature) {
    # log(1 + exp(x)) of an x above 0
    of_errors <- temperature * error + log1p(exp(-temperature * error))
    ncol(E) * of_errors + sum(weights * of_samples(temperature))
  }
  best <- temperature_range[2]
  if (!all(unknown)) best <- stats::optimize(loss, temperature_range, tol = 1e-6)$minimum
  list(
    temperature = best, loss = replace(of_samples(best), unknown, NA),
    wrong = replace(margin < 0, unknown, NA)
  )
}

# as stats::quantile(rep(value, weights), 0.25)
lower_quartile <- function(value, weights) {
  at <- order(value)
  below <- cumsum(weights[at])
  place <- 1 + (below[length(below)] - 1) / 4
  first <- findInterval(floor(place) + 0:1 - 1e-8, below, left.open = TRUE) + 1L
  both <- value[at[pmin(first, length(at))]]
  both[1] + (place - floor(place)) * (both[2] - both[1])
}
