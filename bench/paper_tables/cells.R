# The work: the best setting of a method on a data set, and its scores by both algorithms; kept.

algorithms <- c("Lloyd", "Hartigan-Wong")
powers <- 10^seq(-6, 6, 2)

ranked <- function(method, x, ...) rowsparse(x, k = min(100, ncol(x)), method = method, ...)$ranking

# each entry: the settings of the grid, and the ranking of one setting
method_grids <- function(x, y, plan) {
  m <- length(unique(y))
  prepared <- rowsparse:::with_leading(rowsparse:::as_data(x, include = NULL), m = m)
  alone <- function(rank) list(grid = data.frame(row.names = 1L), rank = function(s) rank())
  default <- function(method, ...) alone(function() ranked(method, x, ...))
  penalised <- function(grid, rank, ...) list(grid = grid, rank = function(s) rank(s, ...))
  by_bsufs <- function(s, ...) {
    bsufs(prepared, m, s$lambda1, s$lambda2, s$p, s$q, normalize = FALSE, ...)$ranking
  }
  by_dscofs <- function(s, ...) {
    dscofs(prepared, max(100, m), m, s$alpha, s$mu1, s$mu2, normalize = FALSE, ...)$ranking
  }
  exponents <- if (plan$grid == "paper") c(0, 1 / 2, 2 / 3) else 1 / 2
  both <- expand.grid(lambda1 = powers, lambda2 = powers, p = exponents, q = exponents)
  couplings <- expand.grid(alpha = seq(0.1, 0.9, 0.1), mu1 = powers, mu2 = powers)
  list(
    all = alone(function() seq_len(ncol(x))),
    random = alone(function() sample(ncol(x))),
    lapscore = default("lapscore"),
    rne = default("rne", seed = 1),
    sogfs = penalised(data.frame(gamma = powers), function(s) {
      ranked("sogfs", x, m = m, clusters = m, gamma = s$gamma)
    }),
    udfs = penalised(data.frame(gamma = powers), function(s) {
      ranked("udfs", x, m = m, gamma = s$gamma)
    }),
    spcafs = penalised(data.frame(lambda = powers), function(s) {
      spcafs(prepared, m, s$lambda, 1 / 2, normalize = FALSE)$ranking
    }),
    fspca = alone(function() fspca(x, max(100, m), m, solver = "ipu")$ranking),
    spca_psd = penalised(expand.grid(lambda = powers, eta = powers), function(s) {
      spca_psd(x, s$lambda, s$eta, solver = "paper")$ranking
    }),
    fen_pcafs = penalised(data.frame(lambda = powers), function(s) {
      ranked("fen_pcafs", x, m = m, lambda = s$lambda, normalize = FALSE)
    }),
    bsufs = penalised(both, by_bsufs), dscofs = penalised(couplings, by_dscofs, start = "fspca"),
    bsufs_random = penalised(both, function(s) {
      set.seed(1)
      start <- qr.Q(qr(matrix(stats::rnorm(ncol(x) * m), ncol(x))))
      by_bsufs(s, start = start)
    }),
    dscofs_random = penalised(couplings, by_dscofs, start = "random", seed = 1),
    kmeans_ufs = alone(function() kmeans_ufs(x, 100, m)$ranking),
    css = alone(function() css(x, min(100, nrow(x) - 1), m = Inf)$ranking),
    alignment = default("alignment")
  )
}

seconds_now <- function() sum(proc.time()[1:2])

# of the settings that the budget reaches, the best by the labels
screen <- function(method, x, y, budget) {
  count <- nrow(method$grid)
  set.seed(1)
  order <- sample.int(count)
  tried <- 0L
  best <- list(score = -1)
  end <- seconds_now() + budget
  for (i in order) {
    if (tried > 0L && seconds_now() > end) break
    tried <- tried + 1L
    setting <- method$grid[i, , drop = FALSE]
    limit <- if (count == 1L) 120 else max(end - seconds_now(), 10)
    ranking <- try(within_seconds(method$rank(setting), limit), silent = TRUE)
    if (inherits(ranking, "try-error")) {
      if (best$score < 0) best$note <- conditionMessage(attr(ranking, "condition"))
      next
    }
    score <- 0
    if (count > 1L) {
      set.seed(1)
      sizes <- intersect(c(50, 100), seq_along(ranking))
      score <- mean(score_features(ranking, x, y, sizes, 3, algorithm = "Lloyd")$acc_mean)
    }
    if (score > best$score) best <- list(score = score, ranking = ranking, setting = setting)
  }
  c(best, list(tried = tried, count = count))
}

score_ranking <- function(name, ranking, x, y, repeats) {
  sizes <- if (name == "all") ncol(x) else intersect(seq(10, 100, 10), seq_along(ranking))
  rows_of(algorithms, function(algorithm) {
    set.seed(1)
    scores <- score_features(ranking, x, y, sizes, repeats, algorithm)
    at <- which.max(scores$acc_mean)
    data.frame(
      algorithm = algorithm, measure = c("ACC", "NMI"),
      value = 100 * c(scores$acc_mean[at], max(scores$nmi_mean)),
      k = c(scores$k[at], scores$k[which.max(scores$nmi_mean)])
    )
  })
}

compute_cells <- function(name, methods, plan) {
  z <- bench_data(name)
  x <- z$x + 0
  grids <- method_grids(x, z$y, plan)
  if (!is.null(methods)) grids <- grids[intersect(methods, names(grids))]
  for (method in names(grids)) {
    file <- file.path(plan$store, name, paste0(method, ".rds"))
    if (file.exists(file)) next
    began <- seconds_now()
    found <- screen(grids[[method]], x, z$y, plan$budget)
    cell <- found[c("tried", "count", "note", "setting", "ranking")]
    if (!is.null(found$ranking)) {
      cell$rows <- score_ranking(method, found$ranking, x, z$y, plan$repeats)
    }
    cell$seconds <- seconds_now() - began
    cell$repeats <- plan$repeats
    keep(cell, file)
    cat(format(Sys.time(), "%H:%M"), name, method, sprintf("%.0f s", cell$seconds), "\n",
      file = stderr()
    )
  }
}
