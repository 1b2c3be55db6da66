# Time and memory of a panel: 200 genes, 20 of them locked in, five batches as blocks, from
# 20 000 cells and 20 000 genes of which 5% of the entries are not zero.

panel_size <- c(cells = 20000, genes = 20000, k = 200, locked = 20, types = 10, batches = 5)

# Of every group of cells (type and batch) each gene is seen in a share that depends on the
# gene, on the type where it is one of its markers, and a little on the batch.
simulate_panel <- function(size = panel_size) {
  fixed_seed(1)
  n <- size[["cells"]]
  d <- size[["genes"]]
  type <- sample.int(size[["types"]], n, TRUE)
  batch <- sample.int(size[["batches"]], n, TRUE)
  group <- (type - 1) * size[["batches"]] + batch
  members <- split(seq_len(n), factor(group, seq_len(size[["types"]] * size[["batches"]])))
  marked <- ifelse(seq_len(d) <= 2000, sample.int(size[["types"]], d, TRUE), 0)
  base <- stats::rnorm(d, -3.4, 1)
  shift <- matrix(stats::rnorm(d * size[["batches"]], 0, 0.3), d)
  cells <- lapply(seq_len(d), function(gene) {
    found <- lapply(seq_along(members), function(g) {
      of_type <- (g - 1) %/% size[["batches"]] + 1
      of_batch <- (g - 1) %% size[["batches"]] + 1
      p <- stats::plogis(base[gene] + shift[gene, of_batch] + 2.5 * (marked[gene] == of_type))
      own <- members[[g]]
      own[sample.int(length(own), stats::rbinom(1, length(own), p))]
    })
    sort(unlist(found))
  })
  counts <- Matrix::sparseMatrix(i = unlist(cells), p = c(0, cumsum(lengths(cells))),
    x = 1 + stats::rpois(sum(lengths(cells)), 0.5), dims = c(n, d),
    dimnames = list(paste0("cell", seq_len(n)), paste0("gene", seq_len(d)))
  )
  list(x = log_normalised(counts), type = type, batch = factor(batch))
}

run_panel <- function() {
  file <- store_file("panel", "simulated", "panel")
  data <- simulate_panel()
  object <- SingleCellExperiment::SingleCellExperiment(
    list(logcounts = Matrix::t(data$x)), colData = list(batch = data$batch)
  )
  nonzero <- length(data$x@x) / prod(dim(data$x))
  locked <- rownames(object)[seq_len(panel_size[["locked"]]) + 10000]
  data$x <- NULL
  before <- reset_peak_memory()
  time <- system.time(fit <- rowsparse(object, k = panel_size[["k"]], include = locked,
    block = "batch"
  ))
  picked <- setdiff(fit$selected, match(locked, rownames(object)))
  keep(list(seconds = time[["elapsed"]], cpu = sum(time[1:2]), before = before,
    memory = peak_memory(), nonzero = nonzero, method = class(fit)[1], m = fit$parameters$m,
    locked = sum(locked %in% rownames(object)[fit$selected]), markers = sum(picked <= 2000),
    picked = length(picked), version = format(utils::packageVersion("rowsparse"))
  ), file)
}

panel_table <- function() {
  told <- kept_or_null(store_file("panel", "simulated", "panel"))
  if (is.null(told)) {
    return(invisible())
  }
  cat("\n## A panel from 20 000 cells and 20 000 genes\n\n")
  cat(sprintf("k = %d, %d genes locked in by `include`, `block` of %d batches, %.1f%% of the\n",
    panel_size[["k"]], panel_size[["locked"]], panel_size[["batches"]], 100 * told$nonzero
  ))
  cat(sprintf("entries not zero; %s, m = %d, chosen by the data.\n", told$method, told$m))
  markdown(data.frame(
    "seconds" = decimals(told$seconds, 1), "processor seconds" = decimals(told$cpu, 1),
    "peak memory, MB" = decimals(told$memory, 0),
    "of these the data before the call, MB" = decimals(told$before, 0),
    "locked in" = told$locked, "planted markers of the types among the other picks" =
      sprintf("%d of %d", told$markers, told$picked), check.names = FALSE
  ))
}
