# The work: every method on every set at every size, kept in the store.

gene_methods <- function() {
  known <- rowsparse_methods()
  blind <- known$method[!known$supervised %in% TRUE]
  c(union(c("fspca", "alignment", "variance", "kmeans_ufs", "css"), blind), "scran", "seurat_vst")
}

# the solver that expression objects have by default
with_genes_solver <- function(calls) {
  lapply(calls, function(call) {
    if (method_of(call) != "fspca") return(call)
    if (!is.call(call)) call <- call("fspca")
    if (is.null(call$solver)) call$solver <- "go"
    call
  })
}

run_genes <- function(plan) {
  for (name in plan$sets) {
    task <- gene_task(name)
    candidates <<- other_methods(task)
    for (k in plan$sizes) random_gene_measures(task, k, plan$random)
    calls <- with_genes_solver(plan$calls)
    for (label in names(calls)) {
      call <- calls[[label]]
      if (!known_method(call)) next
      fit_all_sizes(task, label, call, plan)
      if (plan$block && !is.null(task$batch) && takes_block(call)) {
        fit_all_sizes(task, paste0(label, "+block"), with_block(call, task$batch), plan)
      }
    }
  }
}

known_method <- function(call) method_of(call) %in% c(rowsparse_methods()$method, names(candidates))

takes_block <- function(call) {
  own <- candidates[[method_of(call)]]
  is.null(own) || "block" %in% names(formals(own))
}

with_block <- function(call, batch) {
  call <- if (is.call(call)) call else as.call(list(call))
  call$block <- factor(batch)
  call
}

# the smallest size first: a method beyond the limit there is not tried at larger ones, nor
# on sets of more genes
fit_all_sizes <- function(task, label, call, plan) {
  for (k in sort(plan$sizes)) {
    file <- store_file("genes", task$name, label, sprintf("k%d", k))
    fit <- if (!plan$again) kept_or_null(file)
    if (is.null(fit)) {
      skip <- hopeless(task, label, k, plan$sizes)
      fit <- if (skip) skipped_fit() else limited_fit(call, task$x, NULL, k)
      if (length(fit$selected) > 0) fit$measures <- gene_measures(task, fit$selected)
      fit$version <- format(utils::packageVersion("rowsparse"))
      keep(fit, file)
      told <- if (is.null(fit$measures)) substr(fit$note, 1, 60) else decimals(fit$measures, 3)
      message(sprintf("%s %s %s k = %d: %.1f s  %s", format(Sys.time(), "%H:%M"), task$name, label,
        k, fit$elapsed, toString(told)
      ))
    }
  }
}

skipped_fit <- function() list(selected = NULL, cpu = NA_real_, elapsed = NA_real_, note = "limit")

hopeless <- function(task, label, k, sizes) {
  limited <- function(name, size) {
    identical(kept_or_null(store_file("genes", name, label, sprintf("k%d", size)))$note, "limit")
  }
  before <- gene_sets[seq_len(match(task$name, gene_sets) - 1)]
  any(vapply(sizes[sizes < k], function(size) limited(task$name, size), NA)) ||
    any(vapply(before, limited, NA, size = min(sizes)))
}

random_gene_measures <- function(task, k, count) {
  kept(store_file("genes", task$name, "random", sprintf("k%d", k)), {
    sets <- random_selections(task, k, count)
    t(apply(sets, 1, function(columns) gene_measures(task, columns)))
  })
}
