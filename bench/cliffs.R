# Does a call a little larger ever take far longer? Every method with a function of its own, and the
# three defaults, on tables that grow by half at a time: in samples, features, selected features,
# classes, responses, or stored numbers.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/cliffs.R [SETTING=value ...]
#     METHODS=cdlsr,css   some of them; "default" is one       AXES=n,k   some of the walks
#     SECONDS=4           a walk ends at the first call that takes longer
# A step from one call to the next that takes more than 3 times as long is measured again three
# times, the least counts, and is a cliff if it stays above; calls below a fiftieth of a second
# count as one. Writes bench/results/cliffs.md when all are walked; fails if there is a cliff.
source(file.path("bench", "common.R"))

settings <- read_settings(list(METHODS = "", AXES = "n,d,k,classes,responses,density",
  SECONDS = "4"
))
most_seconds <- as.numeric(settings$SECONDS)
steepest <- 3
least_seconds <- 0.02

# ---- the tables, every smaller one a corner of the larger ones ---------------------------

grown <- function(from, to) {
  unique(round(from * 1.5^seq(0, floor(log(to / from) / log(1.5) + 1e-9))))
}

base <- list(n = 150, d = 400, k = 5, classes = 3, responses = 1, density = NULL)
walks <- list(
  n = list(n = grown(60, 5200), d = 150), d = list(d = grown(60, 5200), n = 100),
  k = list(k = c(1:4, 6, 9, 14, 21, 32, 48, 72, 108, 162, 243), n = 300, d = 1200),
  classes = list(classes = grown(2, 16)), responses = list(responses = grown(1, 26)),
  density = list(density = c(0.7 * 1.5^(-8:0), 1), n = 400, d = 1000)
)
# more clusters than classes, of which some features tell
cluster_count <- 16L

# columns in runs of ten that share a factor; of each run the first tells clusters
table_of <- function(n, d) {
  set.seed(1)
  factors <- matrix(stats::rnorm(n * ceiling(d / 10)), n)
  cluster <- rep_len(seq_len(cluster_count), n)
  x <- vapply(seq_len(d), function(j) {
    told <- if (j %% 10 == 1) cluster %% (2 + j %% 7)
    stats::rnorm(n) + 0.8 * factors[, ceiling(j / 10)] + or_zero(told)
  }, numeric(n))
  list(x = x, cluster = cluster)
}
or_zero <- function(value) if (is.null(value)) 0 else value

# numbers that a tenth of the columns, up to fifty, make; a response for each of `count`
numbers_of <- function(x, count) {
  set.seed(2)
  made <- seq(1, min(ncol(x), 500), 10)
  weights <- matrix(stats::rnorm(length(made) * count), ncol = count)
  signal <- x[, made] %*% weights
  signal + 0.5 * apply(signal, 2, stats::sd) * matrix(stats::rnorm(length(signal)), nrow(x))
}

thinned <- function(x, density) {
  set.seed(3)
  x[stats::runif(length(x)) > density] <- 0
  Matrix::Matrix(x, sparse = TRUE)
}

# ---- the walks -----------------------------------------------------------------------------

# kind of response of each walker: "none", "numbers" or "classes"
walkers <- local({
  table <- as.data.frame(rowsparse_methods())
  table <- table[table$method %in% getNamespaceExports("rowsparse"), ]
  takes <- function(kind) {
    vapply(table$method, function(method) {
      kind %in% rowsparse:::method_table()[[method]]$responses
    }, NA) & table$response == "needed"
  }
  kinds <- list(none = table$response != "needed", numbers = takes("numeric"),
    classes = takes("class")
  )
  rows_of(names(kinds), function(kind) {
    data.frame(method = c("default", table$method[kinds[[kind]]]), kind = kind)
  })
})

has_axis <- function(walker, axis) {
  switch(axis, classes = walker$kind == "classes", responses = walker$kind == "numbers", TRUE)
}

# a call of the walker at a point of the walk, that runs it, on a corner of the whole table
call_at <- function(walker, point, whole) {
  rows <- seq_len(point$n)
  x <- whole$x[rows, seq_len(point$d)]
  y <- switch(walker$kind, none = NULL, numbers = drop(numbers_of(x, point$responses)),
    classes = factor(whole$cluster[rows] %% point$classes)
  )
  if (!is.null(point$density)) x <- thinned(x, point$density)
  function() {
    set.seed(4)
    quiet(rowsparse(x, y, k = point$k, method = walker$method))
  }
}

seconds_of <- function(run, times = 1) timed(run(), times)$least

# seconds along a walk, NA from the first call on that is refused or comes after one that took long
walk <- function(walker, axis) {
  points <- walks[[axis]][[axis]]
  at <- function(value) {
    point <- utils::modifyList(base, walks[[axis]])
    point[[axis]] <- value
    point
  }
  largest <- at(max(points))
  whole <- table_of(largest$n, largest$d)
  call <- function(i) call_at(walker, at(points[i]), whole)
  seconds <- rep(NA_real_, length(points))
  for (i in seq_along(points)) {
    run <- call(i)
    seconds[i] <- tryCatch(seconds_of(run), rowsparse_error = function(e) {
      message(walker$method, ", ", axis, " = ", points[i], ": ", conditionMessage(e))
      NA_real_
    })
    if (is.na(seconds[i])) break
    if (i > 1 && ratio(seconds[i - 1], seconds[i]) > steepest) {
      seconds[i] <- min(seconds[i], seconds_of(run, 3))
      seconds[i - 1] <- min(seconds[i - 1], seconds_of(call(i - 1), 3))
    }
    if (seconds[i] > most_seconds) break
  }
  data.frame(method = walker$method, kind = walker$kind, axis = axis, point = points, seconds)
}

ratio <- function(before, after) pmax(after, least_seconds) / pmax(before, least_seconds)

# the steepest step of a walk
steepest_step <- function(walked) {
  seconds <- walked$seconds
  ratios <- ratio(utils::head(seconds, -1), seconds[-1])
  at <- which.max(ratios)
  if (length(at) == 0) return(NULL)
  last <- max(which(!is.na(seconds)))
  data.frame(walked[1, c("method", "kind", "axis")], from = walked$point[at],
    to = walked$point[at + 1], before = seconds[at], after = seconds[at + 1], ratio = ratios[at],
    end = walked$point[last], end_seconds = seconds[last]
  )
}

# ---- the page -------------------------------------------------------------------------------

write_page <- function(steps) {
  number <- function(x) format(round(x, 3), trim = TRUE, drop0trailing = TRUE)
  bad <- steps$ratio > steepest
  times <- decimals(steps$ratio, 1)
  sink(file.path("bench", "results", "cliffs.md"))
  on.exit(sink())
  cat("# No cliff", "",
    "    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/cliffs.R", "",
    "The steepest step of every walk: the table grows by half at a time in samples n, features d,",
    "selected features k, classes, responses, or the share of stored numbers (density), all else",
    "as in the head of the script. Processor seconds; a call below 0.02 counts as 0.02. A step of",
    sprintf("more than %g times is a cliff and stands in bold: %d of %d walks have one.", steepest,
      sum(bad), nrow(steps)
    ), "The last column: how far the walk went, and the seconds there.", "", machine(), sep = "\n"
  )
  markdown(data.frame(method = sprintf("`%s`", steps$method), response = steps$kind,
    "what grows" = steps$axis, "steepest step" = paste(number(steps$from), "to", number(steps$to)),
    seconds = sprintf("%.3f to %.3f", steps$before, steps$after),
    times = ifelse(bad, sprintf("**%s**", times), times),
    end = sprintf("%s: %.2f", number(steps$end), steps$end_seconds), check.names = FALSE
  ))
}

chosen <- if (nzchar(settings$METHODS)) listed(settings$METHODS) else unique(walkers$method)
steps <- NULL
for (i in which(walkers$method %in% chosen)) {
  for (axis in Filter(function(axis) has_axis(walkers[i, ], axis), listed(settings$AXES))) {
    step <- steepest_step(walk(walkers[i, ], axis))
    if (!is.null(step)) cat(paste(vapply(step, format, "", digits = 3), collapse = " "), "\n")
    steps <- rbind(steps, step)
  }
}
if (!any(nzchar(commandArgs(TRUE)))) write_page(steps)
cliffs <- sum(steps$ratio > steepest)
if (cliffs > 0) stop(cliffs, " walks have a step of more than ", steepest, " times")
