# A panel of 300 of 20 000 genes within rules: a budget of probes that binds, 12 types with 5
# markers each at least, no bright gene; beside the panel without rules. And a panel of 150 genes
# made better by some exchanges.
#
#   OPENBLAS_NUM_THREADS=1 Rscript bench/rules.R
#
# CELLS, GENES: sizes (2000, 20000); METHODS: fspca,css,alignment. Writes
# bench/results/rules.md.
source(file.path("bench", "common.R"))
cells <- as.integer(Sys.getenv("CELLS", "2000"))
genes <- as.integer(Sys.getenv("GENES", "20000"))

# counts of 12 types of unequal sizes, 40 markers each, log-normal levels; normalised
simulated_cells <- function(seed = 1, types = 12L, markers = 40L) {
  set.seed(seed)
  type <- sample.int(types, cells, TRUE, (1:types)^1.2)
  level <- exp(rnorm(genes, -2.2, 1.1))
  own <- matrix(sample.int(genes, types * markers), markers)
  x <- do.call(rbind, lapply(split(seq_len(cells), type), function(rows) {
    rate <- level
    marked <- own[, type[rows[1]]]
    rate[marked] <- rate[marked] * exp(rnorm(markers, 1.5, 0.5))
    counts <- rpois(length(rows) * genes, rep(rate, each = length(rows)))
    Matrix::Matrix(matrix(counts, length(rows)), sparse = TRUE)
  }))
  colnames(x) <- sprintf("g%d", seq_len(genes))
  sets <- lapply(seq_len(types), function(t) colnames(x)[own[, t]])
  names(sets) <- sprintf("type %d", seq_len(types))
  list(x = logged(x), sets = sets, level = Matrix::colMeans(x))
}

seconds_of <- function(code) {
  used <- system.time(value <- suppressMessages(suppressWarnings(code)))
  list(value = value, seconds = used[["user.self"]] + used[["sys.self"]])
}

data <- simulated_cells()
cost <- setNames(sample(1:6, genes, TRUE), colnames(data$x))
bright <- names(which(data$level > 2))
rules <- panel_rules(cost, 600, c(data$sets, list(bright = bright)),
  c(rep(5, length(data$sets)), 0), c(rep(Inf, length(data$sets)), 0)
)
obeys <- function(set) {
  number <- vapply(rules$sets, function(own) sum(set %in% own), 0L)
  sum(cost[set]) <= rules$budget && all(number >= rules$at_least) && all(number <= rules$at_most)
}

lines <- c("# Panels within rules", "", "    OPENBLAS_NUM_THREADS=1 Rscript bench/rules.R", "",
  sprintf(paste("%d simulated cells of 12 types, %d genes. 300 genes of at most 600 probes (1 to 6",
    "each), at least 5 markers"
  ), cells, genes),
  "of each type, no gene of mean count above 2; processor seconds of one thread.", "",
  "| method | value within rules, share of that without | probes without | s without | s within |",
  "|---|---:|---:|---:|---:|"
)
calls <- list(
  fspca = function(...) fspca(data$x, 300, 12, ...),
  css = function(...) css(data$x, 300, m = 12, path = FALSE, ...),
  alignment = function(...) alignment(data$x, k = 300, ...)
)
asked <- strsplit(Sys.getenv("METHODS", "fspca,css,alignment"), ",")[[1]]
for (name in asked) {
  free <- seconds_of(calls[[name]]())
  ruled <- seconds_of(calls[[name]](rules = rules))
  stopifnot(obeys(selected(ruled$value)), length(selected(ruled$value)) == 300)
  beside <- calls[[name]](rules = panel_rules(near = selected(ruled$value), swaps = 300))
  share <- attr(beside$exchanges, "share")
  line <- sprintf("| `%s()` | %.4f | %d | %.1f | %.1f |", name, share,
    sum(cost[selected(free$value)]), free$seconds, ruled$seconds
  )
  message(line)
  lines <- c(lines, line)
}

panel <- selected(variance(data$x), 150)
lines <- c(lines, "", "The 150 genes of largest variance, with at most so many exchanges:", "",
  "| method | swaps | gain | s |", "|---|---:|---:|---:|"
)
calls <- list(
  fspca = function(...) fspca(data$x, 150, 12, ...),
  css = function(...) css(data$x, 150, m = 12, path = FALSE, ...),
  alignment = function(...) alignment(data$x, k = 150, ...)
)
for (name in asked) {
  for (swaps in c(5, 25)) {
    found <- seconds_of(calls[[name]](rules = panel_rules(near = panel, swaps = swaps)))
    line <- sprintf("| `%s()` | %d | %+.2f%% | %.1f |", name, swaps,
      100 * (1 / attr(found$value$exchanges, "share") - 1), found$seconds
    )
    message(line)
    lines <- c(lines, line)
  }
}
writeLines(lines, file.path("bench", "results", "rules.md"))
