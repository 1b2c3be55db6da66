# What passing members by saves in improve(), and what it costs: real tables, the panel of
# largest variance, beside a library in which no member is passed by.
#
#   OFF=<library> OPENBLAS_NUM_THREADS=1 Rscript bench/improve.R
#
# OFF holds the package compiled from a copy whose RS_GROUP_SCREENED (src/sets/group_sets.c) is
# 1000000. Writes bench/results/improve.md.
source(file.path("bench", "common.R"))
off <- Sys.getenv("OFF")
sets <- c("zheng500", "panc8_small", "su", "COIL20", "mECS")

one_run <- function(name, method, k, swaps) {
  x <- as.matrix(bench_data(name)$x)
  if (name %in% c("zheng500", "panc8_small")) x <- log1p(x)
  colnames(x) <- sprintf("g%d", seq_len(ncol(x)))
  x <- x[, apply(x, 2, sd) > 0]
  panel <- selected(variance(x), k)
  used <- system.time({
    found <- improve(panel, x, swaps = swaps, method = method, m = 5, seconds = 0)
  })
  data.frame(set = name, method = method, k = k, swaps = swaps,
    gain = found$value / found$before, seconds = used[["user.self"]] + used[["sys.self"]]
  )
}

all_runs <- function() {
  runs <- expand.grid(name = sets, method = c("fspca", "css"), k = c(60, 150), swaps = c(2, 10),
    stringsAsFactors = FALSE
  )
  # no more than the samples tell
  runs <- runs[!(runs$name == "su" & runs$method == "css" & runs$k == 150), ]
  do.call(rbind, do.call(Map, c(list(f = one_run), unname(runs))))
}

if (Sys.getenv("RESULT") != "") {
  saveRDS(all_runs(), Sys.getenv("RESULT"))
  quit()
}
if (off == "") stop("OFF must name a library with the package compiled without screening")
elsewhere <- tempfile(fileext = ".rds")
status <- system2(file.path(R.home("bin"), "Rscript"), file.path("bench", "improve.R"),
  env = c(sprintf("RESULT=%s", elsewhere),
    sprintf("R_LIBS=%s", paste(c(off, Sys.getenv("R_LIBS")), collapse = ":"))
  )
)
stopifnot(status == 0)
all <- readRDS(elsewhere)
now <- all_runs()
rows <- sprintf("| %s | `%s()` | %d | %d | %+.3f%% | %+.3f%% | %.2f | %.2f |", now$set, now$method,
  now$k, now$swaps, 100 * (now$gain - 1), 100 * (all$gain - 1), now$seconds, all$seconds
)
writeLines(c("# Improving a panel: members that are passed by", "",
  "    OFF=<library> OPENBLAS_NUM_THREADS=1 Rscript bench/improve.R", "",
  "The k features of largest variance, at most so many exchanges. In panels above 40 features a",
  "member is passed by as long as others have exchanges that help and it carries more than any",
  "candidate adds; beside it, with all members asked at every step. Processor seconds of one",
  "thread.", "",
  "| set | method | k | swaps | gain | all asked | s | all asked |",
  "|---|---|---:|---:|---:|---:|---:|---:|", rows, "",
  sprintf(paste(
    "In all %.1f and %.1f seconds; of %d panels %d are better when all members are asked",
    "(by %.3f%% at most), %d worse (by %.3f%%)."
  ), sum(now$seconds), sum(all$seconds), nrow(now), sum(all$gain > now$gain * (1 + 1e-9)),
  100 * max(all$gain / now$gain - 1), sum(now$gain > all$gain * (1 + 1e-9)),
  100 * max(now$gain / all$gain - 1))
), file.path("bench", "results", "improve.md"))
