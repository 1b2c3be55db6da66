# The data of two protocols, their sizes, and the settings of every method

# "tables" of BSUFS and DSCOFS: 50 runs, powers of 100, as many dimensions as classes; "curves" of
# SPCA-PSD: 30 runs, powers of 10, one dimension less, the features of images in [0, 1]. Powers
# stand in the order in which a budget takes them
plans <- list(
  tables = list(
    data = c(
      "lung_discrete", "GLIOMA", "USPS_1000", "UMIST", "warpPIE10P", "Isolet", "COIL20", "pie"
    ),
    sizes = function(d) seq(10, 100, 10), at = c(20, 50, 100), runs = 50,
    powers = 100^c(1, 0, 2, -1, 3, -2, -3)
  ),
  curves = list(
    data = c("ALLAML", "Isolet", "orlraws10P", "pie", "USPS"),
    sizes = function(d) if (d > 300) seq(50, 300, 50) else seq(10, 110, 20), at = 100, runs = 30,
    powers = 10^c(1, 3, -1, 2, 4, 0, -2, -3, -4)
  )
)

paper_data <- function(paper, name) {
  given <- bench_data(name)
  x <- given$x + 0
  if (paper == "curves" && name %in% c("orlraws10P", "pie", "USPS")) {
    low <- apply(x, 2, min)
    spread <- apply(x, 2, max) - low
    x <- sweep(sweep(x, 2, low), 2, ifelse(spread > 0, spread, 1), "/")
  }
  list(x = x, y = given$y)
}

# by method: the settings of its grid, and the ranking of one of them
paper_grids <- function(paper, x, y) {
  powers <- plans[[paper]]$powers
  most <- min(max(plans[[paper]]$sizes(ncol(x))), ncol(x))
  classes <- length(unique(y))
  m <- if (paper == "curves") classes - 1L else classes
  prepared <- rowsparse:::with_leading(rowsparse:::as_data(x, include = NULL), m = m)
  entry <- function(rank, ...) {
    grid <- expand.grid(...)
    list(grid = if (nrow(grid) > 0L) grid else data.frame(none = 0), rank = rank)
  }
  named <- function(name, grid = list(), ...) {
    fixed <- list(...)
    rank <- function(s) {
      own <- as.list(s[names(grid)])
      do.call(rowsparse, c(list(x, k = most, method = name), own, fixed))$ranking
    }
    do.call(entry, c(list(rank), grid))
  }
  convex <- function(...) {
    force(list(...))
    spec <- entry(function(s) spca_psd(x, s$lambda, s$eta, solver = "paper", ...)$ranking,
      lambda = powers, eta = powers
    )
    later <- pmax(match(spec$grid$lambda, powers), match(spec$grid$eta, powers))
    spec$grid <- spec$grid[order(later), ]
    spec
  }
  common <- list(
    all = entry(function(s) seq_len(ncol(x))), first = entry(function(s) seq_len(most)),
    random = entry(function(s) sample(ncol(x), most)), lapscore = named("lapscore"),
    rne = named("rne", seed = 1),
    udfs = named("udfs", list(gamma = powers), m = m),
    sogfs = named("sogfs", list(gamma = powers), m = m, clusters = classes,
      p = if (paper == "curves") 1 / 2 else 1
    ),
    spcafs = entry(function(s) spcafs(prepared, m, s$lambda, 1 / 2, normalize = FALSE)$ranking,
      lambda = powers
    ), spca_psd = convex()
  )
  if (paper == "curves") {
    return(c(common, list(
      cspca_psd = convex(loss = "l21"),
      aw_spca_psd = entry(function(s) {
        spca_psd(x, s$lambda, loss = "l21", center = "adaptive", solver = "paper")$ranking
      }, lambda = powers)
    )))
  }
  c(common, list(
    fspca = entry(function(s) fspca(x, max(most, m), m, solver = "ipu")$ranking),
    fen_pcafs = named("fen_pcafs", list(lambda = powers), m = m, normalize = FALSE),
    css = entry(function(s) css(x, min(most, nrow(x) - 1L), m = Inf)$ranking),
    kmeans_ufs = entry(function(s) kmeans_ufs(x, most, classes)$ranking),
    alignment = named("alignment"), variance = named("variance"),
    tsfs = if (installed("Rtsne")) named("tsfs", teacher = tsne_map(x))
  ), bsufs_grids(prepared, m, powers, entry), dscofs_grids(prepared, most, m, powers, entry))
}

tsne_map <- function(x) {
  set.seed(1)
  Rtsne::Rtsne(x, perplexity = min(30, (nrow(x) - 2) %/% 3), check_duplicates = FALSE)$Y
}

# BSUFS with both penalties, with one, with none, and with the coupling and the start of the
# authors' demonstration: the first step from copies at zero is a basis of the leading subspace,
# here the one nearest to qr(ones)
bsufs_grids <- function(prepared, m, powers, entry) {
  exponents <- c(1 / 2, 0, 2 / 3)
  fit <- function(lambda1, lambda2, p, q, ...) {
    bsufs(prepared, m, lambda1, lambda2, p, q, normalize = FALSE, ...)
  }
  v <- c(1 + sqrt(prepared$d), rep(1, prepared$d - 1)) # of Householder's reflection
  ones <- diag(1, prepared$d, m) - outer(v, v[seq_len(m)]) * 2 / sum(v^2)
  both <- function(...) {
    force(list(...))
    spec <- entry(function(s) fit(s$lambda1, s$lambda2, s$p, s$q, ...)$ranking,
      lambda1 = powers, lambda2 = powers, p = exponents, q = exponents
    )
    usual <- spec$grid$p == 1 / 2 & spec$grid$q == 1 / 2
    spec$grid <- spec$grid[c(which(usual), sample(which(!usual))), ]
    spec
  }
  leading <- fit(0, 0, 1 / 2, 1 / 2)$W
  list(
    bsufs = both(),
    bsufs_demo = both(beta1 = 100, beta2 = 1e6, start = leading %*% crossprod(leading, ones)),
    bsufs_none = entry(function(s) fit(0, 0, 1 / 2, 1 / 2)$ranking),
    bsufs_entries = entry(function(s) fit(0, s$lambda2, 1 / 2, s$q)$ranking,
      lambda2 = powers, q = exponents
    ),
    bsufs_rows = entry(function(s) fit(s$lambda1, 0, s$p, 1 / 2)$ranking,
      lambda1 = powers, p = exponents
    )
  )
}

# DSCOFS from the best of ten random matrices, as its paper has it, with and without the constraint
# on entries; and from the set of FSPCA
dscofs_grids <- function(prepared, k, m, powers, entry) {
  from <- function(start, ...) {
    entry(function(s) {
      dscofs(prepared, max(k, m), m, s$alpha, s$mu, s$mu, normalize = FALSE, start = start,
        seed = 1
      )$ranking
    }, ..., mu = powers)
  }
  levels <- seq(0.1, 0.9, 0.1)
  list(
    dscofs = from("random", alpha = levels), dscofs_rows = from("random", alpha = 1),
    dscofs_fspca = from("fspca", alpha = levels)
  )
}
