# A race with the packages that people take for the same problem, and with a few
# lines of plain R where there is none, all in one run on simulated data:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/race.R
# Packages that are not installed are left out: abess, glmnet, leaps, irlba. Writes
# bench/results/race.md.
source(file.path("bench", "common.R"))

# ---- the table ------------------------------------------------------------------------

rows <- character()
detail <- character()

bold <- function(text, at) ifelse(at, paste0("**", text, "**"), text)

# the rows of a problem: `results` and `seconds` by name. Bold: the least seconds, and the best
# result where these differ.
add_rows <- function(problem, about, results, seconds, digits, higher) {
  shown <- sprintf(digits, results)
  best <- shown == sprintf(digits, if (higher) max(results) else min(results))
  times <- sprintf("%.3f", seconds)
  calls <- sub("^([[:alnum:]:_.]+\\(.*\\))", "`\\1`", names(results))
  rows <<- c(rows, sprintf("| %s | %s | %s | %s |", c(problem, rep("", length(results) - 1)), calls,
    bold(shown, best & !all(best)), bold(times, times == sprintf("%.3f", min(seconds)))
  ))
  detail <<- c(detail, sprintf("* %s: %s", problem, about))
}

# runners that begin with the name of a package which is absent are left out
show <- function(problem, about, runners, judge, digits, higher = FALSE) {
  package <- ifelse(grepl("::", names(runners)), sub("::.*", "", names(runners)), "rowsparse")
  found <- lapply(runners[vapply(package, installed, NA)], function(run) timed(run(), 3))
  add_rows(problem, about, vapply(found, function(run) judge(run$value), 0),
    vapply(found, `[[`, 0, "least"), digits, higher
  )
}

# residual sum of squares of least squares on a set, with an intercept
rest <- function(x, y, set) sum(qr.resid(qr(cbind(1, x[, set, drop = FALSE])), y)^2)

# ---- the best subset of 40 features -------------------------------------------------
best_subset <- function() {
  set.seed(1)
  x <- matrix(rnorm(100 * 40), 100)
  y <- drop(x[, 1:8] %*% rep(c(1, 0.5), 4)) + 2 * rnorm(100)
  runners <- list(
    `cdlsr(solver = "exact")` = function() cdlsr(x, y, k = 8, solver = "exact")$selected
  )
  runners$`leaps::regsubsets()` <- function() {
    found <- leaps::regsubsets(x, y, nvmax = 8, method = "exhaustive", really.big = TRUE)
    which(summary(found)$which[8, -1])
  }
  show("best 8 of 40 features, proved: residual", "100 samples, one response.",
    runners, function(set) rest(x, y, set), "%.3f"
  )
}

# ---- ten of 500 features, one response, judged by new samples --------------------------
one_response <- function() {
  set.seed(5)
  x <- autoregressive(1200, 500, 0.7)
  true <- sample(500, 10)
  signal <- drop(x[, true] %*% sample(c(-1, 1), 10, TRUE))
  y <- signal + rnorm(1200, sd = stats::sd(signal) / sqrt(3))
  rows <- 1:200
  x_train <- x[rows, ]
  y_train <- y[rows]
  error <- function(set) {
    least_squares_error(x_train[, set], y_train, x[-rows, set], y[-rows])
  }
  runners <- list(
    `rowsparse()` = function() rowsparse(x_train, y_train, 10)$selected,
    `cdlsr()` = function() cdlsr(x_train, y_train, 10, path = FALSE)$selected
  )
  runners$`abess::abess()` <- function() {
    fit <- abess::abess(x_train, y_train, support.size = 10, num.threads = 1)
    which(as.vector(stats::coef(fit, support.size = 10))[-1] != 0)
  }
  runners$`glmnet::glmnet(), refitted` <- function() {
    fit <- glmnet::glmnet(x_train, y_train, nlambda = 400, dfmax = 12)
    which(fit$beta[, max(which(fit$df <= 10))] != 0)
  }
  show("10 of 500 correlated features: error on new samples", paste("200 samples, correlations",
    "0.7; least squares on the ten features, 1000 new samples, as a share of the variance."),
  runners, error, "%.3f"
  )
}

# ---- ten of 20 000 features, five responses ------------------------------------------
many_responses <- function() {
  set.seed(2)
  n <- 200
  d <- 20000
  x <- autoregressive(n, d, 0.9)
  true <- sample(d, 10)
  y <- x[, true] %*% matrix(rnorm(50), 10) + 2 * matrix(rnorm(n * 5), n)
  dimnames(x) <- list(NULL, paste0("x", seq_len(d)))
  colnames(y) <- paste0("y", 1:5)
  runners <- list(`cdlsr()` = function() cdlsr(x, y, k = 10, scale = FALSE, path = FALSE)$selected)
  runners$`abess::abess()` <- function() {
    fit <- abess::abess(x, y, family = "mgaussian", support.size = 10, num.threads = 1)
    which(rowSums(as.matrix(fit$beta[[1]]) != 0) > 0)
  }
  runners$`glmnet::glmnet(), refitted` <- function() {
    fit <- glmnet::glmnet(x, y, family = "mgaussian", dfmax = 12)
    at <- max(which(fit$df <= 10))
    which(as.matrix(fit$beta[[1]])[, at] != 0)
  }
  show("10 of 20 000 features, five responses: residual",
    "200 samples; least squares on the ten features.", runners, function(set) rest(x, y, set),
    "%.1f"
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
  share <- function(set) compare_panels(set, x, random = 1)$explained[1]
  show("30 of 1000 features that reproduce all: share",
    "300 samples; share of the variance that the columns reproduce.", list(
      `css()` = function() css(x, 30, m = Inf, path = FALSE)$selected,
      `css(solver = "forward")` = function() {
        css(x, 30, m = Inf, solver = "forward", path = FALSE)$selected
      },
      `greedy selection in plain R` = function() greedy_columns(x, 30)
    ), share, "%.4f", higher = TRUE
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
    `fspca(solver = "ipu")` = function() fspca(x, 50, m = 3, solver = "ipu")$selected,
    `fspca()` = function() fspca(x, 50, m = 3)$selected
  )
  runners$`irlba::prcomp_irlba(), weighted loadings` <- function() {
    found <- irlba::prcomp_irlba(x, 3)
    norms <- rowSums((found$rotation %*% diag(found$sdev))^2)
    order(norms, decreasing = TRUE)[1:50]
  }
  show("50 of 4000 features, three components: share",
    "200 samples; share of the variance that the components on the set carry.", runners, captured,
    "%.5f", higher = TRUE
  )
}

best_subset()
one_response()
many_responses()
columns()
components()

versions <- Filter(installed, c("abess", "glmnet", "leaps", "irlba"))
versions <- paste(versions, vapply(versions, function(name) {
  as.character(utils::packageVersion(name))
}, ""))
writeLines(c("# A race in one run", "",
  "    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/race.R", "",
  "The problems of other packages, and a few lines of plain R where there is none, on simulated",
  "data with a fixed seed; the least processor seconds of three runs. Bold: the best result of a",
  "problem, where results differ, and the least seconds.", "",
  sprintf("%s; %s.", machine(), paste(versions, collapse = ", ")), "",
  "| problem | | result | processor s |", "|---|---|---:|---:|", rows, "", detail, "",
  "glmnet solves another problem, the lasso or group lasso; the features on its path are fitted",
  "again before they are judged. Loadings of irlba are weighted by deviations of the components."
), file.path("bench", "results", "race.md"))
