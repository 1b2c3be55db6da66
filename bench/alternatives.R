# The roles of features among near-optimal sets: how many are decided, and in which time. fspca()
# on six data sets, and numbers of sets.
#
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 LIMIT=60 Rscript bench/alternatives.R
#   CASES="Isolet 1 10" Rscript bench/alternatives.R
#
# LIMIT: elapsed seconds of a run; on a machine with other work processor seconds are fewer. CASES:
# a pattern of the runs that alone are made anew, or "none": "Isolet 1 10" (data, components, k),
# "sets Isolet" (numbers of sets). Results of runs are kept in
# bench/results/alternatives*.csv, from which the page bench/results/alternatives.md is written.
source(file.path("bench", "common.R"))

limit <- as.numeric(Sys.getenv("LIMIT", "60"))
pattern <- Sys.getenv("CASES")
sets <- c("lung_discrete", "UMIST", "panc8_small", "GLIOMA", "Isolet", "COIL20")

# m, k, tolerance of a run each
asked <- rbind(
  expand.grid(tolerance = c(0.001, 0.01), data = sets, k = c(10, 20), m = 1),
  expand.grid(tolerance = 0.001, data = sets, k = c(50, 100), m = 1),
  expand.grid(tolerance = c(0.001, 0.01), data = sets, k = 10, m = 3),
  expand.grid(tolerance = 0.05, data = sets, k = 10, m = 1)
)
asked$data <- as.character(asked$data)

# alternatives() to the set of fspca(), with processor seconds
roles_of_case <- function(case, sets = 0) {
  x <- unname(bench_data(case$data)$x)
  fit <- quiet(fspca(x, case$k, case$m))
  run <- timed(repeats = 1, quiet(
    alternatives(x, fit, tolerance = case$tolerance, seconds = limit, sets = sets)
  ))
  c(unclass(run$value), list(cpu = run$cpu))
}

role_row <- function(case) {
  found <- roles_of_case(case)
  roles <- c("essential", "excluded", "exchangeable", "undecided")
  count <- vapply(roles, function(role) sum(found$roles == role), 0L)
  data.frame(case, d = found$d, t(count), gap = found$gap, cpu = found$cpu,
    elapsed = found$seconds, questions = found$questions
  )
}

rows <- csv_rows("alternatives.csv",
  paste(asked$data, asked$m, asked$k, asked$tolerance),
  function(at) role_row(asked[at, ])
)

table_of <- function(rows) {
  markdown(data.frame("data (d)" = sprintf("%s (%d)", rows$data, rows$d), rows[c("m", "k")],
    tolerance = sprintf("%g%%", 100 * rows$tolerance),
    rows[c("essential", "excluded", "exchangeable", "undecided")],
    "bound above" = sprintf("%.2f%%", 100 * rows$gap), seconds = decimals(rows$cpu, 1),
    questions = rows$questions, check.names = FALSE
  ))
}

# ---- numbers of sets ------------------------------------------------------------------

counted <- expand.grid(
  data = c("UMIST", "Isolet", "lung_discrete", "COIL20"), tolerance = c(0.01, 0.02), k = 10, m = 1,
  stringsAsFactors = FALSE
)

count_row <- function(case) {
  found <- roles_of_case(case, sets = 1)
  data.frame(case[c("data", "tolerance")], complete = found$sets$complete,
    sets = found$sets$count, cpu = found$cpu
  )
}

count_table <- function(rows) {
  cat("\n## Numbers of near-optimal sets\n\nk = 10, m = 1; seconds with the roles.\n")
  markdown(data.frame(data = rows$data, tolerance = sprintf("%g%%", 100 * rows$tolerance),
    sets = paste0(ifelse(as.logical(rows$complete), "", "at least "), rows$sets),
    seconds = decimals(rows$cpu, 1)
  ))
}

# ---- the page -------------------------------------------------------------------------

decided <- function(rows, m, k, tolerance) {
  rows <- rows[rows$m == m & rows$k == k & rows$tolerance %in% tolerance, ]
  sprintf("%d of %d", sum(rows$undecided == 0), nrow(rows))
}

counts <- csv_rows("alternatives_sets.csv", paste("sets", counted$data, counted$tolerance),
  function(at) count_row(counted[at, ])
)
if (pattern %in% c("", "none")) {
  sink(file.path("bench", "results", "alternatives.md"))
  cat("# Roles of features among near-optimal sets\n",
    "    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 LIMIT=60 Rscript bench/alternatives.R\n",
    "Features by their role among all sets of k whose value is within the tolerance of the best",
    "one, for `fspca()`; how far the bound of all sets is above the best one at the end;",
    "processor seconds of one thread, without the fit.", sep = "\n"
  )
  table_of(rows)
  cat(sprintf("\nRuns with no role undecided: k = 10, m = 1: %s (tolerance 5%%: %s);\n",
      decided(rows, 1, 10, c(0.001, 0.01)), decided(rows, 1, 10, 0.05)
    ), sprintf("k = 20, m = 1: %s; k = 50: %s; k = 10, m = 3: %s.\n",
      decided(rows, 1, 20, c(0.001, 0.01)), decided(rows, 1, 50, 0.001),
      decided(rows, 3, 10, c(0.001, 0.01))
    ), sep = ""
  )
  count_table(counts)
  sink()
}
