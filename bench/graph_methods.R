# lapscore, spec, mcfs, jelsr and tsfs: time on a large dense matrix, where it goes, and
# agreement with recorded runs of public code. Writes bench/results/graph_methods.md:
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/graph_methods.R
source(file.path("bench", "common.R"))

clustered <- function(n, d, informative = 200, groups = 10) {
  set.seed(1)
  x <- matrix(rnorm(n * d), n)
  means <- matrix(rnorm(groups * informative), groups)
  x[, seq_len(informative)] <- x[, seq_len(informative)] + means[rep_len(seq_len(groups), n), ]
  x
}

# processor seconds of calls on x, and how many of the best 50 are informative
time_table <- function(x, calls, informative = 200) {
  cat("| call | processor s | elapsed s | informative of the best 50 |\n|---|---:|---:|---:|\n")
  for (text in calls) {
    run <- timed(suppressWarnings(eval(str2lang(text))), repeats = 1)
    found <- if (inherits(run$value, "rowsparse")) {
      sprintf("%d", sum(run$value$ranking[1:50] <= informative))
    } else {
      ""
    }
    cat(sprintf("| `%s` | %.1f | %.1f | %s |\n", text, run$cpu, run$seconds, found))
  }
}

# how many of the best k of a recorded run are among our best k
shared_best <- function(ours, theirs, k) length(intersect(ours[seq_len(k)], theirs[seq_len(k)]))

# rankings of Cai's and of the Auto-UFSTool code, with our functions at their settings
agreement_table <- function(reference) {
  cat("| data | k | lapscore | spec phi1 | spec phi2 | mcfs |\n|---|---:|---:|---:|---:|---:|\n")
  sets <- list(tiny = reference$tiny$x, lung = bench_data("lung_discrete")$x + 0,
    glioma = bench_data("GLIOMA")$x + 0
  )
  for (name in names(sets)) {
    x <- sets[[name]]
    recorded <- function(kind) reference$cases[[paste0(kind, "_", name)]]
    mcfs_case <- recorded("mcfs_cai")
    k <- max(mcfs_case$params$s)
    theirs <- order(-mcfs_case$score[[as.character(k)]])
    ours <- mcfs(x, k, clusters = mcfs_case$params$K, ridge = 0.001)$selected
    cat(sprintf("| %s | %d | %d | %d | %d | %d |\n", name, k,
      shared_best(lapscore(x)$ranking, recorded("lapscore_cai_tmean")$ranking, k),
      shared_best(spec(x, "phi1")$ranking, recorded("spec_phi1_tmean")$ranking, k),
      shared_best(spec(x, "phi2")$ranking, recorded("spec_phi2_tmean")$ranking, k),
      shared_best(ours, theirs, k)
    ))
  }
}

sink(file.path("bench", "results", "graph_methods.md"))
cat("# Feature selection on graphs of the samples\n\n")
machine_line()
cat("\n## 2000 samples, 20000 features\n\n")
cat("Ten groups that differ in 200 features, noise elsewhere. The neighbours and the mean\n")
cat("distance take most of the time of the scores; the number of `clusters`, where it is\n")
cat("left out, the 50 leading eigenvalues of the scatter matrix.\n\n")
x <- clustered(2000, 20000)
time_table(x, c(
  "neighbours(x, 5)", "lapscore(x)", "spec(x)", "spec(x, neighbours = NULL)",
  "spec(x, \"phi3\", clusters = 10)", "mcfs(x, 50, clusters = 9)", "mcfs(x, 50)",
  "tsfs(x, m = 9)"
))
rm(x)
cat("\n## 1000 samples, 2000 features\n\n")
x <- clustered(1000, 2000)
time_table(x, c("lapscore(x)", "mcfs(x, 50, clusters = 9)", "tsfs(x, m = 9)", "jelsr(x, m = 9)"))

cat("\n## Agreement with recorded runs of public code\n\n")
cat("How many of the best k features are the same with 5 neighbours and heat weights at\n")
cat("the mean distance (Cai's code for lapscore and mcfs, Auto-UFSTool's for spec). Given\n")
cat("the recorded graphs and vectors all scores agree to 1e-9 (tests); here the graphs\n")
cat("are ours, which keep all samples at the distance of the last neighbour, and data\n")
cat("are centred, which for mcfs is a regression with an intercept that theirs has not.\n\n")
agreement_table(bench_reference("baselines_graph_family"))
cat("\nThe package Rdimtools was not measured: a package that it needs, CVXR, could not be\n")
cat("installed for this version of R.\n")
sink()
