# Processor seconds by two installed versions of the package in turn, and their ratio: of every
# method through the front door (k = 40), of paths, or of proofs of best subsets. The smallest of
# REPEATS runs counts, each in a process of its own, the versions one after the other.
#
#   OPENBLAS_NUM_THREADS=1 BEFORE=library NOW=library Rscript bench/pairs.R overview [method] ...
#   OPENBLAS_NUM_THREADS=1 BEFORE=library NOW=library Rscript bench/pairs.R paths|exact
#
# BEFORE, NOW: libraries that hold the versions; LIMIT: processor seconds of a run (60). Prints a
# table in markdown, with the rows first whose ratio is above 1.1.
source(file.path("bench", "common.R"))
libraries <- Sys.getenv(c("BEFORE", "NOW"))
repeats <- as.integer(Sys.getenv("REPEATS", "2"))
limit <- as.numeric(Sys.getenv("LIMIT", "60"))
part <- commandArgs(TRUE)[1]

# ---- what is run: what, on which data, by which code on `set` --------------------------

job <- function(what, data, set, code) list(what = what, data = data, set = set, code = code)

overview_jobs <- function(methods) {
  known <- rowsparse_methods()
  if (length(methods) == 0L) methods <- known$method
  do.call(c, lapply(c("COIL20", "GLIOMA", "orlraws10P"), function(name) {
    lapply(methods, function(method) {
      y <- if (known$supervised[known$method == method]) ", y = factor(set$y)" else ""
      job(sprintf("`%s()`", method), name, bench_data(name)[c("x", "y")],
        sprintf("rowsparse(set$x%s, k = 40, method = \"%s\")", y, method)
      )
    })
  }))
}

paths_jobs <- function(...) {
  path <- function(method, name, more) {
    job(sprintf("path of `%s()`", method), name, bench_data(name)[c("x", "y")],
      sprintf("rowsparse_path(set$x, method = \"%s\"%s)", method, more)
    )
  }
  c(
    lapply(list(c("COIL20", 5), c("COIL20", 20), c("Isolet", 26), c("UMIST", 20), c("GLIOMA", 4)),
      function(case) path("bsufs", case[1], sprintf(", m = %s", case[2]))
    ),
    list(path("kmeans_ufs", "COIL20", ", k = 1:50"), path("spcafs", "Isolet", ", m = 10")),
    lapply(list(c("USPS_1000", 5), c("lung_discrete", 5), c("GLIOMA", 4)), function(case) {
      path("fspca", case[1], sprintf(", m = %s, k = %s - 1 + 1:50", case[2], case[2]))
    }),
    lapply(c("lung_discrete", "SRBCT", "Isolet"), function(name) {
      path("rfs", name, ", y = factor(set$y)")
    })
  )
}

# cases whose proof ends
exact_jobs <- function(...) {
  cases <- new.env()
  source(file.path(shared_folder(), "reference", "exact_cases.R"), cases)
  all <- cases$exact_cases(file.path(shared_folder(), "data"))
  ended <- grep("rho0.[15]$|k10_rho0.9|ridge50$|snr1$", names(all), value = TRUE)
  lapply(setdiff(ended, grep("isolet", ended, value = TRUE)), function(name) {
    job(name, "", all[[name]], paste(
      "cdlsr(set$x, set$y, set$k, solver = \"exact\", ridge = set$ridge, scale = FALSE,",
      "time_limit = 60)"
    ))
  })
}

# ---- in turn -------------------------------------------------------------------------------

child <- '
  arguments <- commandArgs(TRUE)
  suppressMessages(library(rowsparse, lib.loc = arguments[1]))
  job <- readRDS(arguments[2])
  set <- job$set
  quiet <- function(code) suppressWarnings(suppressMessages(code))
  try(quiet(rowsparse(as.matrix(iris[, 1:4]), k = 2)), silent = TRUE) # what a first call loads
  setTimeLimit(cpu = as.numeric(arguments[3]) + 5)
  set.seed(1)
  time <- system.time(quiet(eval(parse(text = job$code))))
  cat("seconds", time[["user.self"]] + time[["sys.self"]], "\n")
'
script <- tempfile(fileext = ".R")
writeLines(child, script)

seconds_of <- function(library, file) {
  out <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"),
    c(script, library, file, limit), stdout = TRUE, stderr = FALSE
  ))
  said <- grep("^seconds ", out, value = TRUE)
  if (length(said) == 1L) as.numeric(sub("seconds ", "", said)) else NA_real_
}

pair_of <- function(job) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(job, file, compress = FALSE)
  runs <- vapply(seq_len(repeats), function(i) {
    vapply(libraries, seconds_of, 0, file = file)
  }, c(0, 0))
  best <- suppressWarnings(apply(matrix(runs, 2), 1, min, na.rm = TRUE))
  message(sprintf("%s %s: %.2f %.2f", job$what, job$data, best[1], best[2]))
  data.frame(what = job$what, data = job$data, before = best[1], now = best[2])
}

part <- match.arg(part, c("overview", "paths", "exact"))
jobs <- get(paste0(part, "_jobs"))(commandArgs(TRUE)[-1])
rows <- do.call(rbind, lapply(jobs, pair_of))
# what the clock of processor seconds can tell
rows$ratio <- (rows$now + 0.02) / (rows$before + 0.02)
rows <- rows[order(!(is.finite(rows$ratio) & rows$ratio > 1.1), rows$what), ]
cat("| what | data | before | now | ratio |\n|---|---|---:|---:|---:|\n")
cat(sprintf("| %s | %s | %.2f | %.2f | %.2f |\n", rows$what, rows$data, rows$before, rows$now,
  rows$ratio
), sep = "")
cat(sprintf("\nGeometric mean of the ratios: %.3f.\n",
  exp(mean(log(rows$ratio[is.finite(rows$ratio)])))
))
