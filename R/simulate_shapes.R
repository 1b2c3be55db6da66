#' Shapes in two features, hidden among features of noise
#'
#' Synthetic data sets of the literature: two features that together form a shape of several
#' classes, and features of Gaussian noise.
#'
#' @section Shapes:
#' Classes are as equal in size as `n` allows. In brackets: the number of
#' classes and the default `n`.
#' * `diamond9` (9; 3000): uniform on \eqn{|u| + |v| \le 1}{|u| + |v| <= 1}
#'   about the nine points with coordinates -1, 1, 3 and 0, 2, 4.
#' * `dartboard` (4; 1000): circles of radius 0.4, 0.3, 0.2 and 0.1 about
#'   (-0.5, 0.5), at equally spaced angles.
#' * `two_moons` (2; 800): half circles \eqn{(\cos t, \sin t)}{(cos t, sin t)} and \eqn{(1 - \cos t,
#'   1/2 - \sin t)}{(1 - cos t, 1/2 - sin t)}, \eqn{t \in [0, \pi]}{t in [0, pi]}; jitter 0.1.
#' * `three_rings` (3; 900): circles of radius 1, 2 and 3; jitter 0.1.
#' * `three_curves` (3; 900): \eqn{(t, \sin t + 2c)}{(t, sin t + 2c)},
#'   \eqn{t \in [0, 2\pi]}{t in [0, 2 pi]}, \eqn{c = 0, 1, 2}; jitter 0.15.
#' * `two_spirals` (2; 1000): \eqn{\pm r (\cos\theta, \sin\theta)}{+-r (cos theta, sin theta)} with
#'   \eqn{r = 1.5 + 5t} and \eqn{\theta = 3 \pi t}{theta = 3 pi t}, at equally spaced \eqn{t \in [0,
#'   1)}{t in [0, 1)}.
#' * `banana` (2; 1000): two interlocked arches, half ellipses with straight
#'   legs; jitter 0.018 and 0.023.
#'
#' "Jitter" is the standard deviation of Gaussian noise added to both coordinates.
#'
#' In `diamond9`, `dartboard` and `three_rings` the two informative features are uncorrelated and
#' have equal variance: with `ratio = 1` no method that uses only second moments can do better than
#' chance. With `ratio` well below 1 the informative features simply have the larger variance: state
#' it with a result.
#'
#' @param shape Name of the shape.
#' @param n Number of samples; `NULL` for the default of the shape.
#' @param noise Number of noise features.
#' @param ratio Standard deviation of a noise feature relative to that of the informative feature
#'   whose mean it has too, the first and the second in turn; one number, or one per noise feature.
#'   1 is the matched noise of the literature.
#' @param position The two columns that hold the informative features.
#' @param contamination Corruption of the finished data, noise features included: `"gaussian"` adds
#'   Gaussian noise of standard deviation `level`; `"salt_pepper"` replaces a share `level` of all
#'   entries by their feature's smallest or largest value, with equal probability.
#' @param level Level of the contamination; `NULL` for 0.01 (Gaussian) or 0.03 (salt and pepper).
#'
#' @return A list with `x`, the n x (2 + `noise`) matrix with columns `f1`, `f2`, ...; `y`, the
#'   integer class of every sample, in increasing order; and `informative`, the columns of the
#'   informative features (= `position`). Random numbers come from R's generator.
#' @references
#' Xiu, Huang, Shang and Liu (2025) Bi-sparse unsupervised feature selection. IEEE Transactions on
#' Image Processing 34. \doi{10.1109/TIP.2025.3620667} (Diamond9, Dartboard1, contamination)
#'
#' Xiu, Yang, Huang, Li and Liu (2025) Enhancing unsupervised feature selection via double sparsity
#' constrained optimization. \doi{10.48550/arXiv.2501.00726} (matched noise)
#'
#' Zheng, Zhang, Liu, Jiang, Huo and Liu (2023) Fast sparse PCA via positive semidefinite projection
#' for unsupervised feature selection. \doi{10.48550/arXiv.2309.06202} (moons, rings, curves)
#' @examples
#' dartboard <- simulate_shapes("dartboard")
#' plot(dartboard$x[, dartboard$informative], col = dartboard$y, asp = 1)
#' @export
simulate_shapes <- function(shape = c("diamond9", "dartboard", "two_moons", "three_rings",
                                      "three_curves", "two_spirals", "banana"),
                            n = NULL, noise = 7, ratio = 1, position = c(4, 5),
                            contamination = c("none", "gaussian", "salt_pepper"),
                            level = NULL) {
  shape <- check_choice(shape, "shape", names(shape_table))
  contamination <- check_choice(contamination, "contamination",
    c("none", "gaussian", "salt_pepper")
  )
  recipe <- shape_table[[shape]]
  n <- if (is.null(n)) recipe$n else check_count(n, "n", recipe$classes, 1e8)
  noise <- check_count(noise, "noise", 0, 1e6)
  check_memory(24 * as.double(n) * (noise + 2), "n", "draw fewer samples or less noise")
  ratio <- check_numbers(ratio, "ratio", lower = 0)
  refuse_if(!length(ratio) %in% c(1L, noise), "length", "ratio",
    "must be one number, or one per noise feature",
    sprintf("%d numbers for %d features", length(ratio), noise)
  )
  position <- check_counts(position, "position", lower = 1L, upper = noise + 2)
  refuse_if(length(position) != 2L || position[1] == position[2],
    "range", "position", "must be two different columns", toString(position))
  # sizes that differ by at most one
  classes <- seq_len(recipe$classes)
  sizes <- n %/% recipe$classes + as.integer(classes <= n %% recipe$classes)
  xy <- do.call(rbind, Map(function(class, size, jitter) {
    points <- recipe$draw(class, size)
    if (jitter > 0) points + stats::rnorm(length(points), sd = jitter) else points
  }, classes, sizes, recipe$jitter))
  x <- matrix(0, n, noise + 2, dimnames = list(NULL, paste0("f", seq_len(noise + 2))))
  x[, position] <- xy
  # column j of the noise has the mean and `ratio` times the deviation of either feature, in turn
  imitated <- rep_len(1:2, noise)
  spread <- ratio * apply(xy, 2, stats::sd)[imitated]
  x[, -position] <- stats::rnorm(as.double(n) * noise,
    rep(colMeans(xy)[imitated], each = n), rep(spread, each = n)
  )
  list(x = contaminate(x, contamination, level), y = rep(classes, sizes), informative = position)
}

contaminate <- function(x, contamination, level) {
  if (contamination == "gaussian") {
    level <- check_number(or_default(level, 0.01), "level", 0)
    x[] <- x + stats::rnorm(length(x), sd = level)
  } else if (contamination == "salt_pepper") {
    level <- check_number(or_default(level, 0.03), "level", 0, 1)
    limits <- apply(x, 2, range)
    hit <- sample.int(length(x), round(level * length(x)))
    side <- sample.int(2, length(hit), replace = TRUE)
    x[hit] <- limits[cbind(side, (hit - 1) %/% nrow(x) + 1)]
  }
  x
}

# ---- the shapes ----------------------------------------------------------------------

# n points, uniform in arc length, on a half ellipse with two straight legs
points_on_arch <- function(n, centre, half_width, height, leg) {
  angle <- seq(pi, 0, length.out = 200)
  px <- centre[1] + half_width * c(-1, cos(angle), 1)
  py <- centre[2] + c(-leg, height * sin(angle), -leg)
  arc <- c(0, cumsum(sqrt(diff(px)^2 + diff(py)^2)))
  at <- stats::runif(n, 0, arc[length(arc)])
  cbind(stats::approx(arc, px, at)$y, stats::approx(arc, py, at)$y)
}

# draw(class, n) gives n points of a class, an n x 2 matrix, to which jitter is added
shape_table <- list(
  diamond9 = list(classes = 9L, n = 3000L, jitter = 0, draw = function(class, n) {
    # the square [-1, 1]^2 turned by 45 degrees is the diamond |x| + |y| <= 1
    u <- stats::runif(n, -1, 1)
    v <- stats::runif(n, -1, 1)
    cbind(2 * ((class - 1) %% 3) - 1 + (u + v) / 2, 2 * ((class - 1) %/% 3) + (u - v) / 2)
  }),
  dartboard = list(classes = 4L, n = 1000L, jitter = 0, draw = function(class, n) {
    angle <- 2 * pi * (seq_len(n) - 1) / n
    radius <- (5 - class) / 10
    cbind(-0.5 + radius * cos(angle), 0.5 + radius * sin(angle))
  }),
  two_moons = list(classes = 2L, n = 800L, jitter = 0.1, draw = function(class, n) {
    t <- stats::runif(n, 0, pi)
    if (class == 1) cbind(cos(t), sin(t)) else cbind(1 - cos(t), 0.5 - sin(t))
  }),
  three_rings = list(classes = 3L, n = 900L, jitter = 0.1, draw = function(class, n) {
    t <- stats::runif(n, 0, 2 * pi)
    class * cbind(cos(t), sin(t))
  }),
  three_curves = list(classes = 3L, n = 900L, jitter = 0.15, draw = function(class, n) {
    t <- stats::runif(n, 0, 2 * pi)
    cbind(t, sin(t) + 2 * (class - 1))
  }),
  two_spirals = list(classes = 2L, n = 1000L, jitter = 0, draw = function(class, n) {
    t <- (seq_len(n) - 1) / n
    (3 - 2 * class) * (1.5 + 5 * t) * cbind(cos(3 * pi * t), sin(3 * pi * t))
  }),
  banana = list(classes = 2L, n = 1000L, jitter = c(0.018, 0.023), draw = function(class, n) {
    if (class == 1) {
      points_on_arch(n, c(0.41, 0.66), 0.19, 0.215, 0.13)
    } else {
      points_on_arch(n, c(0.61, 0.46), 0.22, -0.235, -0.25)
    }
  })
)
