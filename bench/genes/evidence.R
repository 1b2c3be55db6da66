# Where the default for expression objects is ahead of other choices of variable genes, where
# it ties and where it is behind: by set and size, on all cells and on halves of them, with the
# rare types apart.

evidence_sizes <- c(25, 50, 100, 200, 500, 2000)
evidence_splits <- 5
least_difference <- 0.005

# arrays of logarithms: their base; no counts (NA) where a set is standardised or no logarithm
evidence_arrays <- c(
  lung_discrete = NA, SRBCT = NA, GLIOMA = 10, christensen = NA, su = NA, ALLAML = NA,
  pomeroy = NA, west = NA, subramanian = 2, nakayama = 2, borovecki = 2
)
evidence_sets <- function() c(gene_sets, names(evidence_arrays))

evidence_task <- function(name) {
  if (name %in% gene_sets) {
    task <- gene_task(name)
  } else {
    task <- usefulness_data(name)
    base <- evidence_arrays[[name]]
    task$counts <- if (!is.na(base)) methods::as(t(pmax(base^task$x - 1, 0)), "CsparseMatrix")
  }
  task$rare <- rare_types(task$y)
  task
}

# the three smallest types, never more than half of them
rare_types <- function(y) {
  size <- table(y)
  as.integer(names(size)[order(size)][seq_len(min(3, length(size) %/% 2))])
}

# ---- what is compared ------------------------------------------------------------------

# functions of a task and of sizes that return a list of columns, one element a size
by_ranking <- function(ranking, needs_counts = TRUE) {
  force(ranking)
  function(task, sizes) {
    if (needs_counts && is.null(task$counts)) stop("no counts")
    found <- ranking(task$x, task$counts)
    lapply(sizes, function(k) found[seq_len(k)])
  }
}

by_method <- function(...) {
  arguments <- list(...)
  function(task, sizes) {
    lapply(sizes, function(k) do.call(rowsparse, c(list(task$x, k = k), arguments))$selected)
  }
}

evidence_methods <- function() {
  Filter(Negate(is.null), list(
    default = by_method(method = "fspca", solver = "go"),
    scran = if (installed("scran")) by_ranking(scran_ranking, FALSE),
    vst = by_ranking(vst_ranking), dispersion = by_ranking(dispersion_ranking),
    deviance = by_ranking(deviance_ranking), variance = by_ranking(variance_ranking, FALSE),
    alignment = by_method(method = "alignment"), random = random_genes
  ))
}

random_genes <- function(task, sizes) lapply(sizes, function(k) random_selections(task, k, 1)[1, ])

# ---- the work, a table a set and method ---------------------------------------------------

evidence_file <- function(set, method) {
  file.path(store_folder, "evidence-1", set, paste0(method, ".csv"))
}

run_evidence <- function(plan, methods, sizes = evidence_sizes) {
  for (name in plan$evidence) {
    task <- NULL
    for (method in names(methods)) {
      splits <- if (method == "random") 0 else evidence_splits
      file <- evidence_file(name, method)
      if (file.exists(file) && !plan$again) next
      if (is.null(task)) task <- evidence_task(name)
      time <- system.time(rows <- evidence_rows(task, methods[[method]], sizes, splits))
      rows <- cbind(data = rep_len(name, nrow(rows)), method = rep_len(method, nrow(rows)), rows)
      dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
      draft <- paste0(file, ".", Sys.getpid())
      utils::write.csv(rounded(rows), draft, row.names = FALSE)
      file.rename(draft, file)
      message(sprintf("%s %s %s: %.0f s", format(Sys.time(), "%H:%M"), name, method,
        sum(time[1:2])
      ))
    }
  }
}

half_task <- function(task, cells) {
  task$x <- task$x[cells, , drop = FALSE]
  task$y <- task$y[cells]
  if (!is.null(task$counts)) task$counts <- task$counts[, cells]
  task
}

# half 0: genes of all cells, judged on all. Others: genes of one half of the cells, judged on
# the other half.
evidence_rows <- function(task, choose, sizes, splits) {
  sizes <- sizes[sizes < ncol(task$x)]
  rows <- list(judged_rows(task, task, choose, sizes, 0))
  for (split in seq_len(splits)) {
    fixed_seed(split)
    half <- stratified_folds(task$y, 2)
    for (part in 1:2) {
      rows <- c(rows, list(judged_rows(half_task(task, half == part), half_task(task, half != part),
        choose, sizes, 2 * (split - 1) + part
      )))
    }
  }
  do.call(rbind, rows)
}

judged_rows <- function(task, others, choose, sizes, half) {
  fixed_seed(1)
  time <- system.time(found <- tryCatch(
    suppressWarnings(suppressMessages(choose(task, sizes))),
    error = function(e) {
      if (half == 0) message(task$name, ": ", conditionMessage(e))
      NULL
    }
  ), gcFirst = FALSE)
  if (is.null(found)) return(NULL)
  measures <- t(vapply(found, function(columns) type_shares(others, columns), numeric(2)))
  data.frame(k = sizes, half = half, measures, seconds = sum(time[1:2]))
}

# `all`: the mean over the cells. `rare`: the mean over the rare types, of the cells of each.
# A cell is asked for no more neighbours than there are others of its type.
type_shares <- function(task, columns) {
  cells <- leading_components(dense_part(task$x, columns), gene_components)
  size <- tabulate(task$y, max(task$y))
  count <- pmin(neighbour_count, pmax(size[task$y] - 1, 1), length(task$y) - 1)
  shares <- neighbour_shares(cells, task$y, count)
  judged <- size[task$y] > 1
  own <- judged & task$y %in% task$rare
  c(all = mean(shares[judged]), rare = mean(tapply(shares[own], task$y[own], mean)))
}
