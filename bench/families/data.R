# Data of bench/families.R: x, standardised, y, family; of cox y is 1 for events, and `time` falls.

read_list <- function(name, ...) {
  utils::read.table(file.path("bench", "families", name), header = TRUE, na.strings = "-", ...)
}
sets <- read_list("sets.txt", row.names = 1)

# NULL if it is not there
data_set <- function(name) {
  parts <- strsplit(name, "=")[[1]]
  if (length(parts) > 1) return(do.call(simulate, c(parts[1], as.list(as.numeric(parts[-1])))))
  row <- sets[name, ]
  if (is.na(row$package)) array_of(name, row$family) else of_package(name, row)
}

of_package <- function(name, row) {
  if (!installed(row$package)) return(NULL)
  table <- tryCatch(getExportedValue(row$package, name), error = function(none) {
    place <- new.env()
    utils::data(list = name, package = row$package, envir = place)
    place[[name]]
  })
  without <- if (!is.na(row$without)) listed(row$without)
  table <- stats::na.omit(table[setdiff(names(table), without)])
  features <- table[setdiff(names(table), c(row$y, row$time))]
  y <- table[[row$y]]
  if (row$family == "cox") y <- as.numeric(y == row$event)
  x <- stats::model.matrix(if (row$products) ~ .^2 else ~ ., features)
  standard(x, y, row$family, if (row$family == "cox") table[[row$time]])
}

# at most 3000 features, those of the largest variance
array_of <- function(name, family) {
  file <- file.path(c(shared_folder(), "")[1], "data", paste0(name, ".rds"))
  if (!file.exists(file)) return(NULL)
  data <- readRDS(file)
  standard(widest(data$x, 3000), data$y, family)
}

# ten of d features, each of which correlates by rho with the one before, have effects
simulate <- function(family, n, d, effect, rho) {
  set.seed(n + d)
  x <- autoregressive(n, d, rho)
  h <- drop(x[, round(seq(d / 20, d, d / 10))] %*% rep_len(effect * c(1, -1), 10))
  life <- stats::rexp(n, exp(h))
  end <- stats::rexp(n, 0.5)
  y <- switch(family, cox = (life <= end) + 0, binomial = stats::rbinom(n, 1, stats::plogis(h)),
    poisson = stats::rpois(n, exp(h))
  )
  standard(x, y, family, if (family == "cox") pmin(life, end))
}

standard <- function(x, y, family, time = NULL) {
  rows <- if (family == "cox") order(-time) else seq_along(y)
  x <- scale(unname(x[rows, apply(x, 2, stats::sd) > 1e-9]))
  if (family == "binomial") y <- as.integer(factor(y)) - 1L
  if (family == "multinomial") y <- factor(y)
  list(x = x[, ], y = y[rows], time = time[rows], family = family)
}
