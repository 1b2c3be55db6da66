# Processor time and peak memory of every method as the data, the subspace and the selection
# grow: dense data (five groups, ten factors, noise), one size after the other in a process for
# each method and axis, up to the first fit that is refused or beyond the limits. Fitted exponents are slopes of logarithms over the last three sizes.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/scaling.R [SETTING=value ...]
#     METHOD=css,fspca     methods, all of rowsparse_methods() by default
#     AXIS=d,n,m,k         what grows
#     SECONDS=15           processor seconds of one fit
#     GB=4                 memory of one fit beyond the data
#     AGAIN=true           forget what the store has of these methods and axes
# Writes bench/results/scaling.md from everything in bench/results/scaling.csv, the store: what
# it has is not computed again.
source(file.path("bench", "common.R"))

axes <- list(
  d = list(sizes = round(10^seq(3, 5.5, 0.5)), n = 200, title = "Features, 200 samples"),
  n = list(sizes = round(10^seq(2, 5.5, 0.5)), d = 100, title = "Samples, 100 features"),
  m = list(sizes = c(2, 4, 8, 16, 32), n = 500, d = 1000,
    title = "Dimension m of the subspace, 500 samples, 1 000 features"
  ),
  k = list(sizes = c(5, 10, 20, 40, 80), n = 500, d = 1000,
    title = "Selected features k, 500 samples, 1 000 features"
  )
)
store <- file.path("bench", "results", "scaling.csv")
words <- c(
  "",
  "A shared machine of two cores: processor seconds, the memory of a fit beyond the session that",
  "holds the data. m = 5 and k = 10 where they do not grow and the method takes them. Where a row",
  "ends, its last cell tells why: the limit that was met,",
  "the time that a fit was given, or the error. Exponents: slopes over the last three sizes of",
  "0.04 s, or 8 MB, at least; steps that cost the same at every size make them small where times",
  "are short. One run each; rows that are missing at the end of a table were not reached."
)

settings <- list(
  METHOD = toString(rowsparse_methods()$method), AXIS = "d,n,m,k", SECONDS = "15", GB = "4",
  AGAIN = "false"
)
read_settings <- function(arguments) {
  for (argument in arguments) {
    name <- sub("=.*", "", argument)
    if (!name %in% names(settings)) stop("no setting ", argument)
    settings[[name]] <<- sub("^[^=]*=", "", argument)
  }
}
listed <- function(text) trimws(strsplit(text, ",")[[1]])

# drawn once, kept in build/scaling
data_of_size <- function(n, d) {
  file <- file.path("build", "scaling", sprintf("%.0fx%.0f.rds", n, d))
  if (!file.exists(file)) {
    dir.create(dirname(file), FALSE, TRUE)
    saveRDS(dense_data(n, d), file, compress = FALSE)
  }
  readRDS(file)
}

# ---- the child: the sizes of one method along one axis --------------------------------

# n, d, m and k of one size
sizes_at <- function(axis, size) {
  sizes <- utils::modifyList(list(m = 5, k = 10), axes[[axis]][c("n", "d")])
  sizes[[axis]] <- size
  sizes
}

takes <- function(method, argument) argument %in% names(formals(get(method)))

arguments_of <- function(method, sizes, data) {
  known <- rowsparse_methods()
  supervised <- known$supervised[known$method == method]
  c(
    list(x = data$x, method = method, k = sizes$k), if (supervised) list(y = data$y),
    if (takes(method, "m")) list(m = sizes$m)
  )
}

one_size <- function(method, axis, size, seconds, gb) {
  sizes <- sizes_at(axis, size)
  data <- data_of_size(sizes$n, sizes$d)
  given <- arguments_of(method, sizes, data)
  reset_peak_memory()
  before <- resident()
  set.seed(1)
  setTimeLimit(cpu = seconds, transient = TRUE)
  on.exit(setTimeLimit())
  time <- sum(system.time(suppressWarnings(suppressMessages(do.call(rowsparse, given))))[1:2])
  cat(sprintf("TOOK %s %g %g %g\n", axis, size, time, peak_memory() - before))
  TRUE
}

child <- function(method, axis, seconds, gb) {
  # the first call of a session is slower
  small <- dense_data(60, 12)
  try(do.call(rowsparse, arguments_of(method, list(m = 2, k = 3), small)), silent = TRUE)
  for (size in axes[[axis]]$sizes) {
    go_on <- tryCatch(one_size(method, axis, size, seconds, gb), error = function(e) {
      message <- conditionMessage(e)
      limit <- grepl("time limit", message)
      why <- if (limit) sprintf("> %g s", seconds) else substr(message, 1, 60)
      cat(sprintf("END %s %g %s\n", axis, size, why))
      FALSE
    })
    if (!go_on) break
  }
}

# ---- the parent --------------------------------------------------------------------------

# rows of the store: one for each size that was reached, and how it ended
run_axis <- function(method, axis, seconds, gb) {
  # freed vectors go back to the system, so that resident memory is what is in use
  command <- sprintf(
    "ulimit -t %d; MALLOC_MMAP_THRESHOLD_=131072 Rscript bench/scaling.R --child %s %s %g %g %s",
    ceiling(6 * seconds + 30), method, axis, seconds, gb, "2> /dev/null"
  )
  lines <- suppressWarnings(system(command, intern = TRUE))
  took <- strsplit(grep("^TOOK ", lines, value = TRUE), " ")
  rows <- data.frame(
    method = rep(method, length(took)), axis = rep(axis, length(took)),
    size = as.numeric(vapply(took, `[`, "", 3L)),
    seconds = as.numeric(vapply(took, `[`, "", 4L)), mb = as.numeric(vapply(took, `[`, "", 5L)),
    end = character(length(took))
  )
  ended <- sub("^END [a-z] [^ ]+ ", "", grep("^END ", lines, value = TRUE))
  reached <- length(took)
  if (length(ended) == 0 && reached < length(axes[[axis]]$sizes)) {
    ended <- sprintf("> %g s", seconds)
  }
  if (length(ended) == 1) {
    at <- axes[[axis]]$sizes[min(reached + 1, length(axes[[axis]]$sizes))]
    rows <- rbind(rows, data.frame(
      method = method, axis = axis, size = at, seconds = NA, mb = NA, end = ended
    ))
  }
  rows
}

fill_store <- function() {
  known <- if (file.exists(store)) utils::read.csv(store) else NULL
  chosen <- listed(settings$METHOD)
  for (axis in listed(settings$AXIS)) {
    for (method in chosen) {
      if (axis %in% c("m", "k") && !takes(method, axis)) next
      here <- known$method == method & known$axis == axis
      if (settings$AGAIN == "true") known <- known[!here, ] else if (any(here)) next
      rows <- run_axis(method, axis, as.numeric(settings$SECONDS), as.numeric(settings$GB))
      known <- rbind(known, rows)
      utils::write.csv(known, store, row.names = FALSE)
      cat(sprintf("%s over %s: %s\n", method, axis, toString(signif(rows$seconds, 2))))
    }
  }
  known
}

# slope of log(value) over log(size) at the last sizes where the value can be measured
exponent <- function(size, value, least) {
  seen <- utils::tail(which(is.finite(value) & value >= least), 3)
  if (length(seen) < 2) return("")
  sprintf("%.1f", stats::coef(stats::lm(log(value[seen]) ~ log(size[seen])))[[2]])
}

axis_table <- function(known, axis, value, least, digits) {
  part <- known[known$axis == axis, ]
  sizes <- axes[[axis]]$sizes
  methods <- intersect(rowsparse_methods()$method, part$method)
  cells <- t(vapply(methods, function(method) {
    own <- part[part$method == method, ]
    numbers <- own[[value]][match(sizes, own$size)]
    text <- ifelse(is.na(numbers), "", sprintf("%.*f", digits, numbers))
    ended <- match(own$size[nzchar(own$end)], sizes)
    if (length(ended) == 1) text[ended] <- if (value == "mb") "-" else own$end[nzchar(own$end)]
    c(sprintf("`%s()`", method), text, exponent(own$size, own[[value]], least))
  }, character(length(sizes) + 2)))
  colnames(cells) <- c("method", format(sizes, big.mark = " ", trim = TRUE), "exponent")
  markdown(cells)
}

write_report <- function(known) {
  sink(file.path("bench", "results", "scaling.md"))
  on.exit(sink())
  cat("# How time and memory grow\n\n    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript",
    sprintf("bench/scaling.R SECONDS=%s\n\n", settings$SECONDS)
  )
  machine_line()
  cat(words, sep = "\n")
  for (axis in intersect(names(axes), known$axis)) {
    cat(sprintf("\n## %s: processor seconds\n", axes[[axis]]$title))
    axis_table(known, axis, "seconds", 0.04, 2)
    if (axis %in% c("m", "k")) next
    cat(sprintf("\n## %s: MB beyond the data\n", axes[[axis]]$title))
    axis_table(known, axis, "mb", 8, 0)
  }
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 5 && arguments[1] == "--child") {
  child(arguments[2], arguments[3], as.numeric(arguments[4]), as.numeric(arguments[5]))
} else {
  read_settings(arguments)
  write_report(fill_store())
}
