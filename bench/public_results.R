# What every method gives by its defaults, and by each of its solvers, on parts of twelve data
# sets: selected features, the objective at the end, seconds. Two recordings are compared, so that
# a change of the code is seen in the answers.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/public_results.R record before.rds [library]
#   OPENBLAS_NUM_THREADS=1 Rscript bench/public_results.R compare before.rds after.rds
# `library` is where the version to be recorded is installed. METHODS=css,fspca records some.
arguments <- commandArgs(TRUE)
usage <- "record <file> [library] | compare <file> <file>"
if (length(arguments) < 2) stop(usage)

sets <- c(
  "lung_discrete", "GLIOMA", "SRBCT", "ALLAML", "COIL20", "Isolet", "UMIST", "USPS_1000",
  "warpPIE10P", "orlraws10P", "west", "mECS"
)

# 120 samples, evenly spaced, and the 200 most variable of the features
part_of <- function(set) {
  x <- unname(as.matrix(set$x))
  storage.mode(x) <- "double"
  y <- set$y
  rows <- unique(round(seq(1, nrow(x), length.out = 120)))
  x <- x[rows, , drop = FALSE]
  y <- droplevels(factor(y[rows]))
  variances <- apply(x, 2, stats::var)
  columns <- sort(utils::head(order(-variances), 200))
  list(x = x[, columns[variances[columns] > 0], drop = FALSE], y = y)
}

# the solvers of a method: of its arguments, the default first
solvers_of <- function(method) {
  home <- asNamespace("rowsparse")
  if (!exists(method, home, mode = "function", inherits = FALSE)) return(NA_character_)
  solvers <- formals(get(method, home))$solver
  if (is.call(solvers)) eval(solvers) else NA_character_
}

fit_once <- function(method, solver, part, supervised) {
  arguments <- list(part$x, k = 20, method = method)
  if (supervised) arguments$y <- part$y
  if (!is.na(solver)) arguments$solver <- solver
  if (solver %in% "exact" && method %in% c("cdlsr", "css", "fspca")) {
    arguments$k <- 3
    if (method == "cdlsr") arguments$time_limit <- 5
    if (method == "fspca") arguments$m <- 1
  }
  set.seed(1)
  seconds <- system.time(fit <- tryCatch(
    suppressMessages(suppressWarnings(do.call(rowsparse::rowsparse, arguments))),
    error = function(e) conditionMessage(e)
  ))[["user.self"]]
  if (is.character(fit)) return(list(error = fit, seconds = seconds))
  objective <- fit$objective
  list(
    selected = fit$selected, seconds = seconds,
    objective = if (length(objective) > 0) utils::tail(objective, 1) else NA_real_
  )
}

record <- function(file, library = NULL) {
  loadNamespace("rowsparse", lib.loc = library)
  folder <- Sys.getenv("ROWSPARSE_SHARED", file.path("..", "shared"))
  methods <- rowsparse::rowsparse_methods()
  asked <- strsplit(Sys.getenv("METHODS"), ",")[[1]]
  if (length(asked) > 0) methods <- methods[methods$method %in% asked, ]
  results <- list()
  for (set in sets) {
    part <- part_of(readRDS(file.path(folder, "data", paste0(set, ".rds"))))
    for (i in seq_len(nrow(methods))) {
      method <- methods$method[i]
      supervised <- methods$supervised[i] %in% c(TRUE, "yes", "required")
      for (solver in solvers_of(method)) {
        key <- paste(set, method, solver)
        results[[key]] <- fit_once(method, solver, part, supervised)
      }
    }
    cat(set, "\n")
    saveRDS(results, file)
  }
}

word <- function(a, b) {
  if (!is.null(a$error) || !is.null(b$error)) {
    return(if (identical(is.null(a$error), is.null(b$error))) "refused by both" else "one refuses")
  }
  same <- setequal(a$selected, b$selected)
  change <- (b$objective - a$objective) / max(abs(a$objective), 1e-300)
  equal <- is.na(change) || abs(change) < 1e-6
  if (same && equal) "equal" else if (same) "same features, other objective" else "other features"
}

compare <- function(before, after) {
  a <- readRDS(before)
  b <- readRDS(after)
  keys <- intersect(names(a), names(b))
  parts <- do.call(rbind, strsplit(keys, " "))
  value <- function(x, what) {
    vapply(keys, function(key) c(x[[key]][[what]], NA_real_)[1], NA_real_)
  }
  table <- data.frame(
    set = parts[, 1], method = parts[, 2], solver = parts[, 3],
    result = mapply(word, a[keys], b[keys]), before = value(a, "objective"),
    after = value(b, "objective"),
    shared = mapply(function(u, v) length(intersect(u$selected, v$selected)), a[keys], b[keys]),
    seconds_before = value(a, "seconds"), seconds_after = value(b, "seconds")
  )
  print(table(table$method, table$result))
  changed <- table[!table$result %in% c("equal", "refused by both"), ]
  options(width = 140)
  if (nrow(changed) > 0) print(changed, row.names = FALSE, digits = 8)
  slow <- stats::aggregate(cbind(seconds_before, seconds_after) ~ method + solver, table, sum,
    na.action = stats::na.pass)
  slow$ratio <- (slow$seconds_after + 0.02) / (slow$seconds_before + 0.02)
  print(utils::head(slow[order(-slow$ratio), ], 12), row.names = FALSE, digits = 3)
  cat("only in one:", setdiff(union(names(a), names(b)), keys), sep = "\n  ")
}

do.call(arguments[1], as.list(arguments[-1]))
