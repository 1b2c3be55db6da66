# The candidates for the default of expression objects. All of them see the sets by which
# methods are compared, so the choice is also made on halves of the cells and judged on the
# other halves, and for every set on the six others.

default_candidates <- function() {
  sizes <- c("", "(m = 3)", "(m = 5)", "(m = 8)", "(m = 10)")
  c(paste0("fspca", sizes), paste0("fspca_root", sizes), "alignment", "kmeans_ufs",
    "variance", "scran"
  )
}
choice_sizes <- c(50, 200)

run_choice <- function(plan) {
  plan$calls <- with_genes_solver(parse_methods(toString(default_candidates())))
  plan$block <- FALSE
  plan$sizes <- choice_sizes
  run_genes(plan)
  for (name in plan$sets) run_halves(gene_task(name), plan)
}

# every candidate on both halves of the cells, each with its types in equal shares: genes
# selected and purity measured there
run_halves <- function(task, plan) {
  fixed_seed(1)
  half <- stratified_folds(task$y, 2)
  for (part in 1:2) {
    own <- half_task(task, half == part)
    candidates <<- other_methods(own)
    for (label in names(plan$calls)) {
      for (k in choice_sizes) {
        file <- store_file("choice", task$name, label, sprintf("k%d", k), sprintf("split%d", part))
        kept(file, half_fit(own, plan$calls[[label]], k), plan$again)
      }
    }
  }
}

half_task <- function(task, cells) {
  task$x <- task$x[cells, , drop = FALSE]
  task$y <- task$y[cells]
  task$batch <- NULL
  if (!is.null(task$counts)) task$counts <- task$counts[, cells]
  task
}

half_fit <- function(task, call, k) {
  fit <- limited_fit(call, task$x, NULL, k)
  if (length(fit$selected) > 0) {
    cells <- leading_components(dense_part(task$x, fit$selected), gene_components)
    fit$purity <- purity(cells, task$y)
  }
  fit
}

# one row per set, candidate, k and half
half_rows <- function() {
  files <- stored("choice")
  if (nrow(files) == 0) return(NULL)
  files$purity <- vapply(files$file, function(file) {
    value <- readRDS(file)$purity
    if (is.null(value)) NA_real_ else value
  }, 0)
  # sets with all of the candidates
  whole <- table(files$data) == max(table(files$data))
  files[files$data %in% names(whole)[whole], c("data", "label", "k", "split", "purity")]
}
