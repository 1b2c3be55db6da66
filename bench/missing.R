# Moments of data with gaps, beside single imputation: how much of the panel of the complete
# data is selected, and how well a regression on selected features predicts.
#   OPENBLAS_NUM_THREADS=1 ROWSPARSE_SHARED=<folder> Rscript bench/missing.R [sets]
# Of each set at most 240 samples and the 300 features of largest variance; two samples of three
# train, and have gaps; the others are complete, and tell the error. impute (Bioconductor) and
# softImpute (CRAN) are compared where they are installed.

source(file.path("bench", "common.R"))

sets <- c(
  "regression/bbb", "regression/boston_squares", "regression/cox2", "regression/diabetes64",
  "regression/gasoline", "regression/pac", "regression/tecator", "ALLAML", "COIL20", "GLIOMA",
  "Isolet", "SRBCT", "UMIST", "USPS_1000", "christensen", "lung_discrete", "panc8_small",
  "pomeroy", "su", "warpPIE10P"
)
shares <- c(0.05, 0.2, 0.4)

prepared <- function(name) {
  set <- bench_data(name)
  x <- as.matrix(set$x)
  storage.mode(x) <- "double"
  if (inherits(set$x, "sparseMatrix")) x <- log2(1 + x / rowSums(x) * stats::median(rowSums(x)))
  y <- if (startsWith(name, "regression")) as.double(set$y) else factor(set$y)
  rows <- sort(sample(nrow(x), min(nrow(x), 240)))
  x <- unname(x[rows, ])
  y <- y[rows]
  train <- seq_along(y) %% 3 != 0
  if (is.factor(y)) {
    kept <- y %in% names(which(table(y[train]) > 1))
    x <- x[kept, ]
    y <- droplevels(y[kept])
    train <- train[kept]
  }
  variance <- apply(x[train, ], 2, stats::var)
  x <- x[, sort(utils::head(order(-variance), min(300, sum(variance > 1e-8 * max(variance)))))]
  list(x = x[train, ], y = y[train], new = x[!train, ], truth = y[!train])
}

# at random, or more often where another feature, that is always seen, is large
holes <- function(x, share, how) {
  if (how == "at random") {
    gap <- matrix(stats::runif(length(x)) < share, nrow(x))
  } else {
    seen <- sample(ncol(x), ceiling(ncol(x) / 5))
    guide <- apply(x, 2, rank, ties.method = "random") > nrow(x) / 2
    own <- share * ncol(x) / (ncol(x) - length(seen))
    gap <- matrix(FALSE, nrow(x), ncol(x))
    for (j in setdiff(seq_len(ncol(x)), seen)) {
      gap[, j] <- stats::runif(nrow(x)) < own * ifelse(guide[, sample(seen, 1)], 1.6, 0.4)
    }
  }
  # two values of every feature stay
  few <- which(colSums(!gap) < 2)
  gap[, few] <- FALSE
  x[gap] <- NA
  x
}

# ---- single imputation, of columns in units of what is seen --------------------------------

in_units <- function(x, fill) {
  centre <- colMeans(x, na.rm = TRUE)
  scale <- apply(x, 2, stats::sd, na.rm = TRUE)
  scale[!(scale > 0)] <- 1
  z <- sweep(sweep(x, 2, centre), 2, scale, "/")
  z[is.na(z)] <- fill(z)[is.na(z)]
  sweep(sweep(z, 2, scale, "*"), 2, centre, "+")
}

soft_at <- function(z, rank) {
  penalty <- softImpute::lambda0(z) / 50
  fit <- suppressWarnings(softImpute::softImpute(z, rank.max = min(rank, dim(z) - 1),
    lambda = penalty, maxit = 100
  ))
  softImpute::complete(z, fit)
}

# its rank by entries held out
soft <- function(z) {
  held <- sample(which(!is.na(z)), sum(!is.na(z)) / 20)
  known <- replace(z, held, NA)
  error <- vapply(c(3, 10, 30), function(rank) sum((soft_at(known, rank)[held] - z[held])^2), 0)
  soft_at(z, c(3, 10, 30)[which.min(error)])
}

nearest <- function(z) {
  utils::capture.output(out <- suppressWarnings(
    impute::impute.knn(t(z), rowmax = 1, colmax = 1, rng.seed = 1)$data
  ))
  t(out)
}

routes <- list(mean = function(x) in_units(x, function(z) 0 * replace(z, TRUE, 1)),
  `nearest neighbours` = function(x) in_units(x, nearest),
  softImpute = function(x) in_units(x, soft)
)[c(TRUE, installed("impute"), installed("softImpute"))]

# ---- what is measured ------------------------------------------------------------------------

panels <- function(known) {
  lapply(c(20, 50), function(k) {
    fspca(known, k = min(k, length(known$mean) - 1), m = 5, solver = "ipu")$selected
  })
}

error_of <- function(known, set) {
  fit <- cdlsr(known, k = 10)
  if (is.factor(set$truth)) return(mean(predict(fit, set$new, type = "class") != set$truth))
  stats::median(abs(predict(fit, set$new) - set$truth)) / stats::mad(set$truth)
}

outcome <- function(known, supervised, seconds, set, whole) {
  found <- panels(known)
  overlap <- mapply(function(a, b) mean(a %in% b), found, whole)
  c(overlap20 = overlap[1], overlap50 = overlap[2], error = error_of(supervised, set),
    seconds = seconds
  )
}

# a row for each route
one <- function(x, set, whole) {
  single <- rows_of(routes, function(route) {
    time <- timed(route(x), 1)
    outcome(moments(time$value), quiet(moments(time$value, set$y)), time$cpu, set, whole)
  })
  time <- timed(quiet(moments(x, missing = "em")), 1)
  supervised <- quiet(moments(x, set$y, missing = "em"))
  data.frame(route = c(names(routes), "moments(missing = \"em\")"),
    rbind(single, outcome(time$value, supervised, time$cpu, set, whole))
  )
}

run_set <- function(name) {
  set.seed(1)
  set <- prepared(name)
  whole <- panels(moments(set$x))
  none <- error_of(suppressMessages(moments(set$x, set$y)), set)
  message(name)
  rows_of(c("at random", "by what is seen"), function(how) {
    rows_of(shares, function(share) {
      data.frame(set = name, n = nrow(set$x), d = ncol(set$x), how = how, share = share,
        one(holes(set$x, share, how), set, whole), complete = none
      )
    })
  })
}

asked <- commandArgs(TRUE)
table <- rows_of(if (length(asked) > 0) asked else sets, run_set)

# ---- tables ----------------------------------------------------------------------------------

machine_line()
order_of <- unique(table$route)
means <- function(part) {
  value <- function(column) tapply(part[[column]], part$route, mean)[order_of]
  data.frame(route = order_of, `of 20` = decimals(value("overlap20")),
    `of 50` = decimals(value("overlap50")), error = decimals(value("error"), 3),
    seconds = decimals(value("seconds")), check.names = FALSE
  )
}
for (how in unique(table$how)) {
  for (share in shares) {
    part <- table[table$how == how & table$share == share, ]
    cat(sprintf("\n%g%% missing %s; error of the complete data %.3f\n", 100 * share, how,
      mean(part$complete)
    ))
    markdown(means(part))
  }
}
cat("\nAll:\n")
markdown(means(table))

cat("\nBy set, means over shares and mechanisms: shares of the panel of 50, errors, seconds\n")
by_set <- function(column, digits = 2) {
  wide <- tapply(table[[column]], list(table$set, table$route), mean)[, order_of, drop = FALSE]
  apply(wide, 1, function(row) paste(decimals(row, digits), collapse = " / "))
}
first <- table[!duplicated(table$set), ]
first <- first[order(first$set), ]
cat("routes in this order:", paste(order_of, collapse = " / "), "\n")
markdown(data.frame(set = first$set, n = first$n, d = first$d, `of 50` = by_set("overlap50"),
  error = by_set("error"), seconds = by_set("seconds"), check.names = FALSE
))
