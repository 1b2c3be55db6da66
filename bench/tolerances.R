# Are the default tolerances small enough? The first 50 features of each ranking method that
# iterates to a tolerance, with its default and with a thousandth of it.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/tolerances.R [SETTING=value ...]
#     METHOD=udfs,rufs    some methods only (all that are ranked by an iteration to a tolerance)
#     DATA=COIL20         some data sets only: COIL20 (every sixth sample), GLIOMA (the 1000
#                         features of largest variance), factors (made up)
#     TOL=1e-6            in the place of the default
#     SECONDS=120         limit of a fit with a small tolerance
# Prints a table: how many of the first 50 are the same, iterations and processor seconds.
source(file.path("bench", "common.R"))

settings <- read_settings(list(
  METHOD = NULL, DATA = "factors,COIL20,GLIOMA", TOL = NULL, SECONDS = "120"
))

iterating <- c(
  "udfs", "rufs", "cspca", "aw_spca", "jelsr", "ndfs", "eufs", "bsufs", "spcafs", "spca_psd",
  "fen_pcafs", "rfs", "crfs", "slap"
)
methods <- if (is.null(settings$METHOD)) iterating else listed(settings$METHOD)

data_for <- function(name) {
  set <- if (name == "factors") dense_data(150, 1000) else bench_data(name)
  x <- set$x + 0
  y <- factor(set$y)
  if (name == "COIL20") {
    rows <- seq(1, nrow(x), 6)
    x <- x[rows, ]
    y <- factor(y[rows])
  }
  if (ncol(x) > 1024) x <- x[, order(-apply(x, 2, stats::var))[1:1000]]
  list(x = unname(x), y = y)
}

fit_with <- function(method, set, control, seconds) {
  known <- rowsparse_methods()
  y <- if (known$supervised[known$method == method]) set$y
  set.seed(1)
  time <- system.time(fit <- try(
    within_seconds(rowsparse(set$x, y, 50, method, control = control), seconds), silent = TRUE
  ))
  if (inherits(fit, "try-error")) {
    return(list(note = sub("\n.*", "", conditionMessage(attr(fit, "condition")))))
  }
  list(fit = fit, cpu = time[["user.self"]] + time[["sys.self"]])
}

row_of <- function(method, name, set) {
  tol <- if (!is.null(settings$TOL)) as.numeric(settings$TOL)
  usual <- fit_with(method, set, list(tol = tol)[!is.null(tol)], 600)
  if (is.null(usual$fit)) return(c(name, method, "", "", "", "", "", "", usual$note))
  used <- usual$fit$parameters
  fine <- fit_with(method, set, list(tol = used$tol / 1000, maxit = 100L * used$maxit),
    as.numeric(settings$SECONDS)
  )
  base <- c(name, method, format(used$tol), usual$fit$iterations, decimals(usual$cpu))
  if (is.null(fine$fit)) return(c(base, "", "", "", fine$note))
  first <- function(fit) utils::head(fit$ranking, 50)
  same <- length(intersect(first(usual$fit), first(fine$fit)))
  c(base, fine$fit$iterations, decimals(fine$cpu), same,
    if (!usual$fit$converged) "the default ends at maxit" else "")
}

machine_line()
rows <- NULL
for (name in listed(settings$DATA)) {
  set <- data_for(name)
  for (method in methods) {
    row <- row_of(method, name, set)
    cat(row, "\n", file = stderr())
    rows <- rbind(rows, row)
  }
}
rownames(rows) <- NULL
colnames(rows) <- c(
  "data", "method", "tol", "iterations", "s", "iterations at tol / 1000", "s at it",
  "same of 50", "note"
)
markdown(rows)
