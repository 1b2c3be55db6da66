# The classifier of every fit to classes: linear discriminants with a shrunken covariance matrix,
# and probabilities as sure as the samples bear out when each is left out in turn.
#
#   m_c, z = x - m_y   means of the K classes, and the samples less that of their own
#   v_j                variances within the classes, sum of z_j^2 over n - K; log v*_j is moved to
#                      the median by the share of the differences among v that is noise
#   S*                 (1 - l) Z'Z / (n - K) + l diag(v*), l the share of the squared
#                      correlations that is noise; two estimates of it compete, see chosen_share()
#   E_ic               log(n_c / n) - (x_i - m_c)' S*^-1 (x_i - m_c) / 2, up to a number per sample
#   p_ic               exp(T E_ic) over its sum, T in [0.01, 1] by the samples left out
#
# Logarithms, since variances in one unit may be compared, as those of pixels or of genes, while a
# median over variances in several units would hide all features in large units: there the
# share is near 0, and a small power of their ratio near 1. Sums are formed of features in
# their standard deviations. With weights, which have the mean 1 here, a sample counts as so
# many in every sum.

least_covariance_share <- 0.01
least_correlation_share <- 1e-9
# of the variance over all samples: what is left to features that are constant in every class
least_variance <- 1e-8
temperature_range <- c(0.01, 1)

# A linear rule from samples (n x k), the number of each one's class, and how many classes there
# are; `lost`: degrees of freedom that centring within the levels of a block took. The rule gives
# E, of which the temperature is to be taken.
discriminant <- function(x, class, count, weights = NULL, lost = 0) {
  weights <- if (is.null(weights)) rep(1, nrow(x)) else shares_of(weights) * nrow(x)
  groups <- class_groups(x, class, count, weights, lost)
  prior <- groups$size / sum(groups$size)
  out <- rule_of_shares(prior, ncol(x))
  if (length(groups$varying) == 0L || groups$degrees <= 0) {
    return(out)
  }
  chosen <- chosen_share(shrunken_covariance(groups), groups)
  shrunken <- chosen$shrunken
  rule <- inverse_times_means(shrunken)
  out$slope[groups$varying, ] <- rule / (groups$unit * shrunken$scale)
  out$intercept <- log(prior) - rowSums(shrunken$mean * t(rule)) / 2 -
    drop(groups$center %*% out$slope[groups$varying, , drop = FALSE])
  out$temperature <- chosen$temperature
  out$shrinkage[] <- c(shrunken$share, shrunken$variance_share)
  out$left_out <- c(
    rule = stats::weighted.mean(chosen$loss, weights, na.rm = TRUE),
    prior = -sum(prior * log(prior))
  )
  out
}

# The rule that sees the shares of the classes alone
rule_of_shares <- function(prior, k) {
  list(
    slope = matrix(0, k, length(prior)), intercept = log(prior), prior = prior, temperature = 1,
    shrinkage = c(covariance = 1, variance = 1)
  )
}

# The same from sums over the samples: S = Xc'Xc and B = Xc'Y of the centred features and the
# indicators, and the size of each class, by their weights n in all. What needs single samples is
# taken as it is for normal ones: the variance of v_j is 2 v_j^2 / (n - K), that of a covariance of
# features in their standard deviations (1 + r^2) / (n - K), and the temperature what errors of the
# means and of S* take off. With ten samples for each feature the variance of a correlation,
# (1 - r^2)^2 / (n - K), is used: no sample can be left out to choose between the two.
discriminant_of_sums <- function(S, B, size, lost = 0) {
  groups <- summed_groups(S, B, size, lost)
  prior <- size / sum(size)
  out <- rule_of_shares(prior, nrow(B))
  if (length(groups$varying) == 0L || groups$degrees <= 0) {
    return(out)
  }
  v <- pmax(diag(groups$scatter) / groups$degrees, least_variance)
  shrunken <- shrink_variances(v, function(size) sum(2 * v^2 / groups$degrees * size^2),
    groups$log_unit
  )
  R <- groups$scatter / groups$degrees / tcrossprod(sqrt(v))
  others <- R[row(R) != col(R)]
  sharp <- sum(size) >= 10 * ncol(R)
  noise <- sum(if (sharp) (1 - pmin(others^2, 1))^2 else 1 + others^2) / groups$degrees
  least <- if (sharp) least_correlation_share else least_covariance_share
  scale <- sqrt(shrunken$variance)
  spectrum <- eigen(groups$scatter / groups$degrees / tcrossprod(scale), symmetric = TRUE)
  covariance <- list(
    mean = groups$mean / rep(scale, each = length(size)), vectors = spectrum$vectors,
    values = pmax(spectrum$values, 0), whole = TRUE,
    share = if (noise < sum(others^2)) max(least, noise / sum(others^2)) else 1
  )
  rule <- inverse_times_means(covariance)
  out$slope[groups$varying, ] <- rule / (groups$unit * scale)
  out$intercept <- log(prior) - rowSums(covariance$mean * t(rule)) / 2
  out$temperature <- normal_temperature(covariance, rule, size, groups$degrees)
  out$shrinkage[] <- c(covariance$share, shrunken$share)
  out
}

# means and scatter within the classes, in standard deviations of the features that vary
summed_groups <- function(S, B, size, lost) {
  n <- sum(size)
  deviation <- sqrt(pmax(diag(S), 0) / (n - 1))
  varying <- which(deviation > 0)
  unit <- deviation[varying]
  mean <- t(B[varying, , drop = FALSE] / unit) / size
  S <- S[varying, varying, drop = FALSE] / unit / rep(unit, each = length(unit))
  list(
    varying = varying, unit = unit, log_unit = log(unit), mean = mean,
    scatter = S - crossprod(mean * sqrt(size)), degrees = n - length(size) - lost
  )
}

# the share of the distances between the classes that new samples of normal classes would show
normal_temperature <- function(covariance, rule, size, degrees) {
  share <- size / sum(size)
  between <- sum(share * rowSums(covariance$mean * t(rule)))
  kept <- covariance$values / ((1 - covariance$share) * covariance$values + covariance$share)
  of_covariance <- 1 - ((1 - covariance$share) * sum(kept) + 1) / degrees
  of_means <- (length(size) - 1) * sum(kept) / sum(size)
  found <- if (between > 0) of_covariance - of_means / between else 1
  min(temperature_range[2], max(temperature_range[1], found))
}

# E of new samples
discriminant_scores <- function(rule, x) {
  x %*% rule$slope + rep(rule$intercept, each = nrow(x))
}

# rows of exp(scores) over their sums, and their logarithms
softmax <- function(scores) exp(log_softmax(scores))

log_softmax <- function(scores) {
  scores <- scores - row_max(scores)
  scores - log(rowSums(exp(scores)))
}

row_max <- function(x) x[cbind(seq_len(nrow(x)), max.col(x, ties.method = "first"))]

# ---- classes and their means ---------------------------------------------------------

# Samples in standard deviations of the features that vary, and what belongs to the classes;
# `residual` is that of each sample's own mean, times the root of its weight
class_groups <- function(x, class, count, weights, lost) {
  center <- colSums(x * weights) / sum(weights)
  x <- x - rep(center, each = nrow(x))
  spread <- apply(abs(x), 2, max)
  varying <- which(spread > 8 * .Machine$double.eps * abs(center))
  x <- x[, varying, drop = FALSE] / rep(spread[varying], each = nrow(x))
  deviation <- sqrt(colSums(x^2 * weights) / (nrow(x) - 1))
  x <- x / rep(deviation, each = nrow(x))
  size <- class_sums(cbind(weights), class, count)[, 1]
  mean <- class_sums(x * weights, class, count) / size
  list(
    class = class, weights = weights, size = size, mean = mean,
    residual = (x - mean[class, , drop = FALSE]) * sqrt(weights),
    degrees = nrow(x) - count - lost, varying = varying, center = center[varying],
    unit = spread[varying] * deviation, log_unit = log(spread[varying]) + log(deviation)
  )
}

# count x k sums of the rows of each class, all of which have samples
class_sums <- function(x, class, count) {
  unname(rowsum(x, factor(class, seq_len(count)), reorder = TRUE))
}

# ---- the covariance matrix -----------------------------------------------------------

# S* by the eigenvectors of the scatter matrix in units of sqrt(v*): `vectors` and `values`, all of
# them or those that are not zero; on what is left of the space S* is `share`. Residuals and
# means in these units come along.
shrunken_covariance <- function(groups) {
  Z <- groups$residual
  n <- nrow(Z)
  v <- pmax(colSums(Z^2) / groups$degrees, least_variance)
  # the variance of a mean of squares: n / (n - 1)^3 times their squares about the mean
  of_squares <- n / (n - 1)^3 * pmax(0, colSums((Z^2)^2) - n * colMeans(Z^2)^2)
  shrunken <- shrink_variances(v, function(size) sum(of_squares * size^2), groups$log_unit)
  share <- covariance_share(Z / rep(sqrt(shrunken$given), each = n), groups$degrees)
  scale <- sqrt(shrunken$variance)
  Z <- Z / rep(scale, each = n)
  spectrum <- scatter_spectrum(Z, groups$degrees)
  list(
    residual = Z, mean = groups$mean / rep(scale, each = nrow(groups$mean)), scale = scale,
    share = share, variance_share = shrunken$share, given = shrunken$given,
    degrees = groups$degrees,
    values = spectrum$values, vectors = spectrum$vectors, whole = ncol(Z) <= n
  )
}

# `given` and `variance`, in units of the standard deviations, whose logarithms are log_unit;
# `noise_of`: the sum of the variances of v in units whose squares are `size`
shrink_variances <- function(v, noise_of, log_unit) {
  size <- exp(2 * (log_unit - max(log_unit)))
  noise <- noise_of(size)
  differences <- sum((v * size - stats::median(v * size))^2)
  share <- if (noise >= differences) 1 else noise / differences
  logarithm <- log(v) + 2 * log_unit
  list(
    given = v, share = share, variance = v * exp(share * (stats::median(logarithm) - logarithm))
  )
}

# The share of the squared correlations, r = Z'Z / degrees, that is noise: the sums over all
# pairs of features, from the smaller side of Z.
covariance_share <- function(Z, degrees) {
  n <- nrow(Z)
  square <- Z^2
  own <- colSums(square)
  products <- sum(small_gram(Z)^2) - sum(own^2)
  fourth <- sum(rowSums(square)^2) - sum(square^2)
  noise <- n / (n - 1)^3 * (fourth - products / n)
  share <- if (products > 0) noise * degrees^2 / products else 1
  min(1, max(least_covariance_share, share))
}

# The share l of S*, list(shrunken, temperature, loss). covariance_share() estimates the noise of
# covariances of features in their standard deviations, (1 + r^2) / n for normal ones. A correlation
# has (1 - r^2)^2 / n: of features that nearly depend on each other, as the wavelengths of a
# spectrum, the first wipes out the differences that tell the classes apart. The smaller share of
# correlation_share() is taken if it lowers the logarithmic loss of samples left out by more than
# two standard errors, which few sets of other kinds do.
chosen_share <- function(shrunken, groups) {
  first <- judged_share(shrunken, groups)
  if (!shrunken$whole) {
    return(first)
  }
  Z <- groups$residual / rep(sqrt(shrunken$given), each = nrow(groups$residual))
  share <- correlation_share(Z, groups$degrees)
  if (share >= shrunken$share) {
    return(first)
  }
  shrunken$share <- share
  second <- judged_share(shrunken, groups)
  if (is_clearly_above(first$loss - second$loss, groups$weights)) second else first
}

judged_share <- function(shrunken, groups) {
  scores <- left_out_scores(shrunken, groups)
  temperature <- temperature_of(scores, groups$class, groups$weights)
  own <- cbind(seq_along(groups$class), groups$class)
  list(
    shrunken = shrunken, temperature = temperature,
    loss = -log_softmax(temperature * scores)[own]
  )
}

# is the mean of these differences more than two standard errors above 0?
is_clearly_above <- function(difference, weights) {
  known <- !is.na(difference)
  difference <- difference[known]
  share <- weights[known] / sum(weights[known])
  mean <- sum(share * difference)
  isTRUE(mean > 2 * sqrt(sum(share^2 * (difference - mean)^2)))
}

# The same share for the correlations r_ij proper: V_ij, the sum over the samples of
# (z_i z_j - r_ij (z_i^2 + z_j^2) / 2)^2, takes the place of the squares about their mean.
correlation_share <- function(Z, degrees) {
  n <- nrow(Z)
  square <- Z^2
  R <- crossprod(Z) / degrees
  both <- crossprod(square)
  odd <- crossprod(Z * square, Z)
  fourth <- colSums(square^2)
  V <- both - R * (odd + t(odd)) + R^2 / 4 * (outer(fourth, fourth, "+") + 2 * both)
  pair <- row(R) != col(R)
  signal <- sum(R[pair]^2)
  share <- if (signal > 0) n / (n - 1)^3 * sum(pmax(V[pair], 0)) / signal else 1
  min(1, max(least_correlation_share, share))
}

# Z'Z or ZZ', which have the same nonzero eigenvalues
small_gram <- function(Z) if (ncol(Z) <= nrow(Z)) crossprod(Z) else tcrossprod(Z)

scatter_spectrum <- function(Z, degrees) {
  found <- eigen(small_gram(Z) / degrees, symmetric = TRUE)
  values <- pmax(found$values, 0)
  if (ncol(Z) <= nrow(Z)) {
    return(list(values = values, vectors = found$vectors))
  }
  kept <- which(values > 1e-12 * values[1])
  root <- sqrt(values[kept] * degrees)
  vectors <- crossprod(Z, found$vectors[, kept, drop = FALSE]) / rep(root, each = ncol(Z))
  list(values = values[kept], vectors = vectors)
}

# S*^-1 m_c, k x K
inverse_times_means <- function(shrunken) {
  V <- shrunken$vectors
  l <- shrunken$share
  inside <- shrunken$mean %*% V
  rule <- V %*% (t(inside) / ((1 - l) * shrunken$values + l))
  if (!shrunken$whole) rule <- rule + (t(shrunken$mean) - tcrossprod(V, inside)) / l
  rule
}

# ---- each sample left out ------------------------------------------------------------

# E of each sample by the rule without it, with l and v* as they are. Its class loses its weight
# w: the mean moves by w z / (n_c - w), and the scatter loses f z z' with f = w n_c / (n_c - w),
# so that (Sherman and Morrison) with M the matrix before that loss
#   u' S^-1 u = u'M^-1 u + g (u'M^-1 z)^2 / (1 - g z'M^-1 z),  g = (1 - l) f / degrees.
# u is the sample less the mean of a class. Rows are NA where a class has one sample.
left_out_scores <- function(shrunken, groups) {
  class <- groups$class
  w <- groups$weights
  rest <- groups$size[class] - w
  rest[rest <= 1e-8 * groups$size[class]] <- NA
  degrees <- shrunken$degrees - w
  of_scatter <- ifelse(degrees > 0, (1 - shrunken$share) / degrees, 0)
  f <- groups$size[class] / rest # of the residual times the root of the weight
  spectrum <- outer(of_scatter * shrunken$degrees, shrunken$values) + shrunken$share
  Z <- shrunken$residual %*% shrunken$vectors / sqrt(w)
  M <- shrunken$mean %*% shrunken$vectors
  h <- rowSums(Z^2 / spectrum)
  across <- (Z / spectrum) %*% t(M)
  toward <- across[cbind(seq_along(class), class)] - across # z'M^-1 (m_y - m_c)
  apart <- mean_distances(M, shrunken, class, spectrum)
  step <- h + toward
  squared <- h + 2 * toward + apart
  own <- cbind(seq_along(class), class)
  step[own] <- f * h
  squared[own] <- f^2 * h
  g <- of_scatter * f * w
  E <- -(squared + g * step^2 / pmax(1 - g * h, 1e-10)) / 2
  size <- matrix(groups$size, nrow(E), ncol(E), byrow = TRUE)
  size[own] <- rest
  E + log(size / (sum(groups$size) - w))
}

# (m_y - m_c)' M^-1 (m_y - m_c) of each sample's own class y, n x K
mean_distances <- function(M, shrunken, class, spectrum) {
  out <- matrix(0, length(class), nrow(M))
  inverse <- 1 / spectrum
  squares <- rowSums(shrunken$mean^2)
  for (y in seq_len(nrow(M))) {
    rows <- which(class == y)
    gaps <- M - rep(M[y, ], each = nrow(M))
    out[rows, ] <- inverse[rows, , drop = FALSE] %*% t(gaps^2)
    if (!shrunken$whole) {
      given <- shrunken$mean - rep(shrunken$mean[y, ], each = nrow(M))
      residual <- pmax(rowSums(given^2) - rowSums(gaps^2), 0) / shrunken$share
      out[rows, ] <- out[rows, , drop = FALSE] + rep(residual, each = length(rows))
    }
  }
  out
}

# The T of least logarithmic loss on the samples left out. Separable samples would have T = 1
# however few they are: one error per class at the lower quartile of the margins goes with them.
temperature_of <- function(E, class, weights) {
  known <- which(!is.na(rowSums(E)))
  if (length(known) == 0L) {
    return(temperature_range[2])
  }
  E <- E[known, , drop = FALSE]
  own <- cbind(seq_along(known), class[known])
  weights <- weights[known]
  others <- E
  others[own] <- -Inf
  margin <- E[own] - row_max(others)
  right <- margin > 0
  error <- if (any(right)) stats::quantile(margin[right], 0.25, names = FALSE) else 0
  gaps <- E - E[own]
  highest <- row_max(gaps)
  loss <- function(temperature) {
    spread <- exp(temperature * (gaps - highest))
    sum(weights * (temperature * highest + log(rowSums(spread)))) +
      # log(1 + exp(x)) of an x above 0
      ncol(E) * (temperature * error + log1p(exp(-temperature * error)))
  }
  stats::optimize(loss, temperature_range, tol = 1e-6)$minimum
}
