# What each part of the searches gives: switched off, on data that were not used to choose it. A
# part stays where it lowers the geometric mean of the objective by .5% or of the time by 15%.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/ablation.R [cdlsr] [random] [css]
# cdlsr: the default search; random: three random starts besides; css: sets of columns.
# Writes bench/results/ablation.md when all three ran.
source(file.path("bench", "common.R"))
if (is.null(shared_folder())) stop("the reference data are needed")

parts <- c("cdlsr", "random", "css")
asked <- commandArgs(TRUE)
if (length(asked) == 0) asked <- parts

arrays <- c(
  "christensen", "subramanian", "su", "west", "pomeroy", "UMIST", "Isolet", "mECS", "yan124",
  "panc8_small", "nakayama", "warpPIE10P", "Goolam", "borovecki"
)

class_problems <- function(most) {
  lapply(arrays, function(name) {
    data <- bench_data(name)
    list(name = name, x = widest(data$x, most), y = factor(data$y), k = c(5, 15, 40))
  })
}

real_regressions <- function() {
  sets <- regressions()
  lapply(names(sets), function(name) {
    list(name = name, x = widest(scale(sets[[name]]$x), 2000), y = as.matrix(sets[[name]]$y)[, 1],
      k = c(5, 10, 20)
    )
  })
}

made_up <- function() {
  lapply(1:6, function(i) {
    set.seed(400 + i)
    x <- autoregressive(80, 400, 0.8)
    b <- numeric(400)
    b[sample(400, 15)] <- rnorm(15)
    list(name = sprintf("chain %d", i), x = x, y = drop(x %*% b) + 2 * rnorm(80), k = c(8, 15))
  })
}

problems <- function(part) {
  given <- if (part == "css") {
    class_problems(1000)
  } else {
    c(class_problems(4000), real_regressions(), made_up())
  }
  do.call(c, lapply(given, function(problem) {
    k <- problem$k[problem$k < min(nrow(problem$x) - 5, ncol(problem$x))]
    lapply(k, function(k) utils::modifyList(problem, list(k = k)))
  }))
}

solve_one <- function(problem, part) {
  set.seed(3)
  call <- switch(part,
    cdlsr = quote(cdlsr(problem$x, problem$y, problem$k)),
    random = quote(cdlsr(problem$x, problem$y, problem$k, start = "random", starts = 3)),
    css = quote(css(problem$x, problem$k, m = Inf))
  )
  before <- proc.time()
  fit <- suppressWarnings(suppressMessages(eval(call)))
  c(objective = utils::tail(fit$objective, 1), seconds = sum((proc.time() - before)[1:2]))
}

without <- function(part, off) {
  old <- options(rowsparse.search_without = off)
  on.exit(options(old))
  t(vapply(problems(part), solve_one, numeric(2), part = part))
}

lines <- c("# What each part of the searches gives", "",
  "    OPENBLAS_NUM_THREADS=1 Rscript bench/ablation.R", "",
  paste("Objective and time without the part, over those with all parts, on data that were not",
    "used to choose it; lower and higher: problems whose objective falls and rises without it."
  ), "",
  paste("| search | without | problems | lower | higher | objective, geometric mean |",
    "seconds, geometric mean | seconds, all |"
  ),
  "|---|---|---:|---:|---:|---:|---:|---:|"
)
mean_ratio <- function(a, b) exp(mean(log(pmax(a, 1e-3) / pmax(b, 1e-3))))
for (part in asked) {
  whole <- without(part, NULL)
  some <- without(part, "perturb")
  # where everything is fitted no ratio tells anything
  told <- whole[, "objective"] > 1e-9 * max(whole[, "objective"])
  ratio <- some[told, "objective"] / whole[told, "objective"]
  line <- sprintf("| %s | %s | %d | %d | %d | %.4f | %.2f | %.2f |", part, "perturb", sum(told),
    sum(ratio < 1 - 1e-9), sum(ratio > 1 + 1e-9), exp(mean(log(ratio))),
    mean_ratio(some[, "seconds"], whole[, "seconds"]),
    sum(some[, "seconds"]) / sum(whole[, "seconds"])
  )
  cat(line, "\n")
  lines <- c(lines, line)
}
if (setequal(asked, parts)) writeLines(lines, file.path("bench", "results", "ablation.md"))
