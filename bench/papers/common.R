# What the pages of the papers share: the protocol of their tables, the settings of their grids, and
# the store of what takes long. Results go to bench/results/papers, for vignettes/articles.
source(file.path("bench", "common.R"))

results_file <- function(name) file.path("bench", "results", "papers", name)
store_file <- function(...) file.path("build", "papers", ...)
seconds_now <- function() sum(proc.time()[1:2])
over <- function(values, f, ...) lapply(stats::setNames(nm = values), f, ...)
# what bench/papers/clusters.R has kept of a method on a data set
cell <- function(name, method) readRDS(store_file("tables", name, paste0(method, ".rds")))
quantiles <- c(min = 0, q1 = 0.25, median = 0.5, q3 = 0.75, max = 1)

# ACC and NMI in percent, a row for each run, of k-means as compare_panels() runs it
paper_runs <- function(x, y, columns, runs) {
  data <- rowsparse:::as_data(x[, columns, drop = FALSE], include = NULL)
  set.seed(1)
  100 * rowsparse:::cluster_runs(data, y, runs, TRUE)[c("acc", "nmi")]
}

# A row for each size: means, standard deviations and quantiles over the runs
paper_curve <- function(x, y, ranking, sizes, runs) {
  rows_of(sizes[sizes <= length(ranking)], function(k) {
    scores <- paper_runs(x, y, ranking[seq_len(k)], runs)
    row <- lapply(scores, function(values) {
      c(mean = mean(values), sd = stats::sd(values), stats::quantile(values, quantiles))
    })
    row <- unlist(row, use.names = FALSE)
    names(row) <- paste0(rep(names(scores), each = 7), "_", c("mean", "sd", names(quantiles)))
    data.frame(k = k, runs = runs, as.list(row))
  })
}

# The settings of a grid in turn, at least the first, as long as processor seconds are left: each
# with its seconds and its mean ACC and NMI in `few` runs at the sizes `at`; the ranking of the best
try_settings <- function(grid, rank, x, y, at, few, budget, limit = 600) {
  known <- new.env()
  best <- list(acc = -1)
  end <- seconds_now() + budget
  rows <- rows_of(seq_len(nrow(grid)), function(i) {
    if (i > 1L && seconds_now() > end) return(NULL)
    began <- seconds_now()
    ranking <- try(within_seconds(rank(grid[i, , drop = FALSE]), limit), silent = TRUE)
    seconds <- seconds_now() - began
    if (inherits(ranking, "try-error")) return(NULL)
    scores <- if (nrow(grid) == 1L) c(0, 0) else rowMeans(vapply(at, function(k) {
      set <- sort(ranking[seq_len(min(k, length(ranking)))])
      key <- toString(set)
      if (is.null(known[[key]])) known[[key]] <- colMeans(paper_runs(x, y, set, few))
      known[[key]]
    }, numeric(2)))
    if (scores[1] > best$acc) best <<- list(acc = scores[1], ranking = ranking)
    cbind(grid[i, , drop = FALSE], acc = scores[1], nmi = scores[2], seconds = seconds)
  })
  list(rows = rows, best = best, count = nrow(grid))
}

# of the settings that were tried, the one of highest ACC
best_setting <- function(rows) rows[which.max(rows$acc), ]

# one text for a setting
setting_text <- function(row) {
  names <- setdiff(names(row), c("acc", "nmi", "seconds", "none"))
  toString(sprintf("%s %s", names, vapply(row[names], format, "", digits = 3)))
}

# the rows that f gives for each combination of the values, beside these, kept one by one in
# the files that `file` gives for a name
each <- function(f, ..., file = NULL) {
  frame <- expand.grid(..., KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE)
  rows_of(split(frame, seq_len(nrow(frame))), function(s) {
    rows <- if (is.null(file)) f(s) else kept(file(paste(s, collapse = "_")), f(s))
    cbind(s, rows, row.names = NULL)
  })
}

# Makes the `asked` of the parts, expressions, each kept with its seconds in its file; all kept ones
# with the machine make the result `name`
write_parts <- function(parts, asked, file_of, name) {
  for (part in asked) {
    kept(file_of(part), {
      time <- system.time(rows <- eval(parts[[part]]))
      list(rows = rows, seconds = sum(time[1:2]))
    })
  }
  files <- Filter(file.exists, vapply(stats::setNames(nm = names(parts)), file_of, ""))
  there <- lapply(files, readRDS)
  saveRDS(c(lapply(there, `[[`, "rows"), list(seconds = vapply(there, `[[`, 0, "seconds"),
    machine = machine()
  )), results_file(name), compress = "xz")
}
