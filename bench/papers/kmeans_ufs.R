# The experiments of K-means UFS on data at hand, which none of its six sets is: kmeans_ufs.rds.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/papers/kmeans_ufs.R
source(file.path("bench", "papers", "common.R"))

# StatLog DNA, 3186 x 180: three indicators of every position
dna <- function() {
  data("DNA", package = "mlbench", envir = environment())
  list(x = vapply(DNA[names(DNA) != "Class"], function(bit) as.numeric(as.character(bit)),
    numeric(nrow(DNA))
  ), y = as.integer(DNA$Class))
}
sets <- c("USPS_1000", "DNA")
data_of <- function(name) {
  given <- if (name == "DNA") dna() else bench_data(name)
  x <- scale(given$x)
  list(x = x[, colSums(is.nan(x)) == 0], y = given$y)
}
classes <- function(given) length(unique(given$y))
admm <- function(given, k, ...) {
  quiet(kmeans_ufs(given$x, k, classes(given), solver = "admm", ...))
}

# Figure 2: the norm of V by iteration, of both forms
norms <- function() {
  given <- data_of("DNA")
  lapply(c(quadratic = "quadratic", bilinear = "bilinear"), function(form) {
    admm(given, 50, form = form)$v_norm
  })
}

# Figure 3: one of mu and rho varies
sensitivity <- function() {
  rows_of(sets, function(name) {
    given <- data_of(name)
    cases <- rbind(data.frame(mu = 10^seq(-6, 6, 3), rho = 1.05),
      data.frame(mu = 0.1, rho = c(1.0001, 1.01, 1.1, 10, 100))
    )
    rows_of(seq_len(nrow(cases)), function(i) {
      rows_of(c(50, 100), function(k) {
        fit <- admm(given, k, mu = cases$mu[i], rho = cases$rho[i])
        scores <- colMeans(paper_runs(given$x, given$y, fit$selected, 20))
        data.frame(data = name, cases[i, ], k = k, gap = fit$gap, as.list(scores))
      })
    })
  })
}

# Tables III and IV by their protocol: the best of six sizes, and of a grid where there is one
powers <- 10^seq(-6, 6, 2)
ways <- list(
  "all features" = NULL, "Laplacian score" = data.frame(method = "lapscore"),
  NDFS = data.frame(method = "ndfs", alpha = powers),
  RUFS = data.frame(method = "rufs", alpha = powers),
  EUFS = data.frame(method = "eufs", alpha = powers),
  SF2SOG = data.frame(method = "sf2sog", gamma = powers), "K-means UFS" = NULL
)

curve_of <- function(way, given) {
  sizes <- seq(50, min(300, ncol(given$x) - 1), 50)
  by_size <- function(ranking_of, sizes) {
    rows_of(sizes, function(k) paper_curve(given$x, given$y, ranking_of(k), k, 20))
  }
  if (way == "all features") return(by_size(seq_len, ncol(given$x)))
  if (way == "K-means UFS") return(by_size(function(k) admm(given, k)$ranking, sizes))
  rank <- function(setting) {
    m <- if (setting$method == "sf2sog") "m" else if (setting$method != "lapscore") "clusters"
    own <- if (!is.null(m)) stats::setNames(list(classes(given)), m)
    quiet(do.call(rowsparse, c(list(given$x, k = max(sizes)), setting, own)))$ranking
  }
  tried <- try_settings(ways[[way]], rank, given$x, given$y, 100, 2, 60, limit = 60)
  if (!is.null(tried$rows)) by_size(function(k) tried$best$ranking, sizes)
}

protocol <- function() {
  rows_of(sets, function(name) {
    given <- data_of(name)
    rows_of(names(ways), function(way) {
      curve <- kept(store_file("kmeans", paste0(name, "_", way, ".rds")), curve_of(way, given))
      if (!is.null(curve)) cbind(data = name, method = way, curve[which.max(curve$acc_mean), ])
    })
  })
}

# Figure 4, and what the exact solution of the relaxed problem is worth
convergence <- function() {
  lapply(stats::setNames(nm = sets), function(name) {
    given <- data_of(name)
    list(admm = admm(given, 50)$objective,
      optimum = quiet(kmeans_ufs(given$x, 50, classes(given)))$objective
    )
  })
}

began <- seconds_now()
saveRDS(list(
  norms = kept(store_file("kmeans_norms.rds"), norms()),
  sensitivity = kept(store_file("kmeans_sensitivity.rds"), sensitivity()),
  protocol = protocol(),
  convergence = convergence(), seconds = seconds_now() - began, machine = machine()
), results_file("kmeans_ufs.rds"))
