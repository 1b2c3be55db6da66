# A race with the packages that people take for the same problem, and with a few
# lines of plain R where there is none, all in one run on simulated data:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/race.R
# Packages that are not installed are left out: abess, glmnet, leaps, irlba.
source(file.path("bench", "common.R"))
machine_line()

# processor seconds, the least of `times` runs, and what came out
race <- function(run, times = 3) {
  seconds <- replicate(times, {
    gc(full = TRUE)
    time <- system.time(value <<- run())
    time[["user.self"]] + time[["sys.self"]]
  })
  list(value = value, seconds = min(seconds))
}
value <- NULL

show <- function(title, runners, judge, digits = "%.4g") {
  cat("\n", title, "\n\n| | value | processor s |\n|---|---:|---:|\n", sep = "")
  for (name in names(runners)) {
    found <- race(runners[[name]])
    cat(sprintf("| %s | %s | %.3f |\n", name, sprintf(digits, judge(found$value)), found$seconds))
  }
}

installed <- function(package) requireNamespace(package, quietly = TRUE)

# residual sum of squares of least squares on a set, with an intercept
rest <- function(x, y, set) sum(qr.resid(qr(cbind(1, x[, set, drop = FALSE])), y)^2)

# ---- the best subset of 40 features -------------------------------------------------
best_subset <- function() {
  set.seed(1)
  x <- matrix(rnorm(100 * 40), 100)
  y <- drop(x[, 1:8] %*% rep(c(1, 0.5), 4)) + 2 * rnorm(100)
  runners <- list(
    `rowsparse::cdlsr(solver = "exact")` = function() {
      cdlsr(x, y, k = 8, solver = "exact")$selected
    }
  )
  if (installed("leaps")) {
    runners$`leaps::regsubsets()` <- function() {
      found <- leaps::regsubsets(x, y, nvmax = 8, method = "exhaustive", really.big = TRUE)
      which(summary(found)$which[8, -1])
    }
  }
  show("100 x 40, k = 8, one response, proved optimal: residual sum of squares (lower is better)",
    runners, function(set) rest(x, y, set), "%.3f"
  )
}

# ---- ten of 300 correlated features ---------------------------------------------------
# The data of the reference run of OKRidge (Python), whose figures stand in reference/.
correlated_subset <- function() {
  set.seed(1)
  x <- matrix(rnorm(600 * 300), 600)
  for (j in 2:300) x[, j] <- 0.5 * x[, j - 1] + sqrt(0.75) * x[, j]
  signal <- rowSums(x[, round(seq(1, 300, length.out = 10))])
  y <- signal + rnorm(600) * sqrt(var(signal) / 5)
  x <- scale(x)
  runners <- list(`rowsparse::cdlsr(solver = "exact")` = function() {
    utils::tail(cdlsr(x, y, 10, solver = "exact", ridge = 0.1, scale = FALSE)$objective, 1)
  })
  show(paste("600 x 300, correlations 0.5, k = 10, ridge 0.1, proved optimal: objective (lower is",
    "better)"), runners, identity, "%.4f")
  folder <- shared_folder()
  file <- if (!is.null(folder)) file.path(folder, "reference", "exact_okridge.csv")
  if (length(file) > 0 && file.exists(file)) {
    recorded <- utils::read.csv(file)
    recorded <- recorded[recorded$case == "ar_600x300_k10_rho0.5", ]
    cat(sprintf("| OKRidge (Python), a recorded run | %.4f | %.3f |\n",
      sum((y - mean(y))^2) + recorded$objective, recorded$cpu_seconds
    ))
  }
}

# ---- ten of 500 features, one response, judged by new samples --------------------------
one_response <- function() {
  set.seed(5)
  x <- matrix(rnorm(1200 * 500), 1200)
  for (j in 2:500) x[, j] <- 0.7 * x[, j - 1] + sqrt(0.51) * x[, j]
  true <- sample(500, 10)
  signal <- drop(x[, true] %*% sample(c(-1, 1), 10, TRUE))
  y <- signal + rnorm(1200, sd = stats::sd(signal) / sqrt(3))
  rows <- 1:200
  x_train <- x[rows, ]
  y_train <- y[rows]
  error <- function(set) {
    b <- stats::lm.fit(cbind(1, x_train[, set]), y_train)$coefficients
    sum((y[-rows] - cbind(1, x[-rows, set]) %*% b)^2) / sum((y[-rows] - mean(y_train))^2)
  }
  runners <- list(
    `rowsparse::rowsparse()` = function() rowsparse(x_train, y_train, 10)$selected,
    `rowsparse::cdlsr()` = function() cdlsr(x_train, y_train, 10, path = FALSE)$selected
  )
  if (installed("abess")) {
    runners$`abess::abess()` <- function() {
      fit <- abess::abess(x_train, y_train, support.size = 10, num.threads = 1)
      which(as.vector(stats::coef(fit, support.size = 10))[-1] != 0)
    }
  }
  if (installed("glmnet")) {
    runners$`glmnet::glmnet(), ten features on its path` <- function() {
      fit <- glmnet::glmnet(x_train, y_train, nlambda = 400, dfmax = 12)
      which(fit$beta[, max(which(fit$df <= 10))] != 0)
    }
  }
  show(paste("200 x 500, correlations 0.7, k = 10, one response: error of least squares on 1000",
    "new samples, of the variance (lower is better)"), runners, error, "%.3f"
  )
}

# ---- ten of 20 000 features, five responses ------------------------------------------
many_responses <- function() {
  set.seed(2)
  n <- 200
  d <- 20000
  x <- matrix(rnorm(n * d), n)
  for (j in 2:d) x[, j] <- 0.9 * x[, j - 1] + sqrt(1 - 0.81) * x[, j]
  true <- sample(d, 10)
  y <- x[, true] %*% matrix(rnorm(50), 10) + 2 * matrix(rnorm(n * 5), n)
  dimnames(x) <- list(NULL, paste0("x", seq_len(d)))
  colnames(y) <- paste0("y", 1:5)
  runners <- list(`rowsparse::cdlsr()` = function() {
    cdlsr(x, y, k = 10, scale = FALSE, path = FALSE)$selected
  })
  if (installed("abess")) {
    runners$`abess::abess()` <- function() {
      fit <- abess::abess(x, y, family = "mgaussian", support.size = 10, num.threads = 1)
      which(rowSums(as.matrix(fit$beta[[1]]) != 0) > 0)
    }
  }
  if (installed("glmnet")) {
    runners$`glmnet::glmnet(), ten features on its path` <- function() {
      fit <- glmnet::glmnet(x, y, family = "mgaussian", dfmax = 12)
      at <- max(which(fit$df <= 10))
      which(as.matrix(fit$beta[[1]])[, at] != 0)
    }
  }
  show(paste("200 x 20000, k = 10, five responses: residual sum of squares of the refitted set",
    "(lower is better)"), runners, function(set) rest(x, y, set), "%.1f"
  )
}

# ---- columns that reproduce the others ------------------------------------------------
greedy_columns <- function(x, k) {
  x <- sweep(x, 2, colMeans(x))
  set <- integer()
  for (step in seq_len(k)) {
    norms <- colSums(x^2)
    gains <- colSums(crossprod(x)^2) / norms
    gains[c(set, which(norms < 1e-10))] <- -Inf
    set <- c(set, which.max(gains))
    q <- x[, set[step]] / sqrt(norms[set[step]])
    x <- x - q %*% crossprod(q, x)
  }
  set
}

columns <- function() {
  set.seed(3)
  x <- matrix(rnorm(300 * 20), 300) %*% matrix(rnorm(20 * 1000), 20) +
    2 * matrix(rnorm(300 * 1000), 300)
  share <- function(set) variance_explained(x, set)
  show("300 x 1000, k = 30: share of the variance that the columns reproduce (higher is better)",
    list(
      `rowsparse::css()` = function() css(x, 30, m = Inf, path = FALSE)$selected,
      `rowsparse::css(solver = "forward")` = function() {
        css(x, 30, m = Inf, solver = "forward", path = FALSE)$selected
      },
      `greedy selection in ten lines of R` = function() greedy_columns(x, 30)
    ), share, "%.4f"
  )
}

# ---- components on 50 of 4000 features ------------------------------------------------
components <- function() {
  set.seed(4)
  n <- 200
  d <- 4000
  loadings <- matrix(rnorm(4 * d), 4) * c(2, 1.5, 1.2, 1) * matrix(rexp(4 * d), 4)
  x <- matrix(rnorm(n * 4), n) %*% loadings + matrix(rnorm(n * d), n)
  centred <- sweep(x, 2, colMeans(x))
  captured <- function(set) sum(svd(centred[, set], 0, 0)$d[1:3]^2) / sum(centred^2)
  runners <- list(
    `rowsparse::fspca(solver = "ipu")` = function() fspca(x, 50, m = 3, solver = "ipu")$selected,
    `rowsparse::fspca()` = function() fspca(x, 50, m = 3)$selected
  )
  if (installed("irlba")) {
    by_norms <- function(loadings) order(rowSums(loadings^2), decreasing = TRUE)[1:50]
    runners$`irlba::prcomp_irlba(), largest loadings` <- function() {
      by_norms(irlba::prcomp_irlba(x, 3)$rotation)
    }
    runners$`irlba::prcomp_irlba(), loadings times deviations` <- function() {
      found <- irlba::prcomp_irlba(x, 3)
      by_norms(found$rotation %*% diag(found$sdev))
    }
  }
  show(paste("200 x 4000, k = 50, three components: share of the variance that they carry on the",
    "set (higher is better)"), runners, captured, "%.5f"
  )
}

best_subset()
correlated_subset()
one_response()
many_responses()
columns()
components()
