# What vignettes/gene-expression.Rmd.orig uses: the data, the selections it compares, and
# how these are judged, with the adjusted Rand index of the benchmarks.
protocol <- file.path(c(".", ".."), "bench", "genes", "protocol.R")
source(protocol[file.exists(protocol)][1])

# The data set panc8_small of bbknnR: from the installed package, or else from its sources,
# without installing them
read_pancreas <- function() {
  file <- system.file("data", package = "bbknnR")
  held <- new.env()
  if (nzchar(file)) {
    utils::data("panc8_small", package = "bbknnR", envir = held)
  } else {
    folder <- tempfile("bbknnR")
    dir.create(folder)
    source <- utils::download.packages("bbknnR", folder, type = "source", quiet = TRUE)
    utils::untar(source[, 2], exdir = folder)
    load(file.path(folder, "bbknnR", "data", "panc8_small.rda"), held)
  }
  object <- SeuratObject::UpdateSeuratObject(held$panc8_small)
  SingleCellExperiment::SingleCellExperiment(
    list(counts = SeuratObject::GetAssayData(object, slot = "counts")),
    colData = object[[]][c("celltype", "tech")]
  )
}

selections <- function(sce, k) {
  counts <- SingleCellExperiment::counts(sce)
  log_values <- SingleCellExperiment::logcounts(sce)
  batch <- sce$tech
  own <- function(...) function() rowsparse(sce, k = k, ...)$selected
  scran_genes <- function(block) {
    told <- scran::modelGeneVar(log_values, block = block)
    match(scran::getTopHVGs(told, n = k), rownames(sce))
  }
  seurat_genes <- function(block) {
    variable <- function(cells) {
      object <- Seurat::CreateSeuratObject(counts[, cells])
      Seurat::FindVariableFeatures(object, nfeatures = k, verbose = FALSE)
    }
    found <- if (is.null(block)) {
      Seurat::VariableFeatures(variable(seq_len(ncol(sce))))
    } else {
      Seurat::SelectIntegrationFeatures(lapply(split(seq_len(ncol(sce)), block), variable),
        nfeatures = k, verbose = FALSE
      )
    }
    match(found, rownames(sce))
  }
  either <- function(name, plain, blocked) {
    list(
      list(genes = name, block = "", run = plain), list(genes = name, block = "yes", run = blocked)
    )
  }
  c(
    either("rowsparse, default", own(), own(block = "tech")),
    either("alignment", own(method = "alignment"), own(method = "alignment", block = "tech")),
    either("css", own(method = "css"), own(method = "css", block = "tech")),
    either("variance", own(method = "variance"), own(method = "variance", block = "tech")),
    either("scran", function() scran_genes(NULL), function() scran_genes(batch)),
    either("Seurat, vst", function() seurat_genes(NULL), function() seurat_genes(batch))
  )
}

judge_all <- function(sce, sizes) {
  out <- lapply(sizes, function(k) {
    rows <- lapply(selections(sce, k), function(one) {
      seconds <- sum(system.time(columns <- one$run())[1:2])
      list(one = one, seconds = seconds, columns = columns)
    })
    names <- vapply(rows, function(row) paste0(row$one$genes, row$one$block), "")
    reference <- rows[[which(names == "scran")]]$columns
    set.seed(1)
    sets <- lapply(1:20, function(i) sample(nrow(sce), k)) # judge() begins the sequence again
    random <- lapply(sets, function(columns) judge(sce, columns, reference))
    table <- do.call(rbind, lapply(rows, function(row) {
      data.frame(genes = row$one$genes, block = row$one$block, k = k,
        t(judge(sce, row$columns, reference)), seconds = row$seconds
      )
    }))
    mean_of <- function(judged) t(Reduce(`+`, judged) / length(judged))
    all <- judge(sce, seq_len(nrow(sce)), reference)
    rbind(table,
      data.frame(genes = "random, mean of 20", block = "", k = k, mean_of(random), seconds = NA),
      data.frame(genes = "all genes", block = "", k = k, t(all), seconds = NA)
    )
  })
  do.call(rbind, out)
}

judge <- function(sce, columns, reference) {
  cells <- components_of(sce, columns)
  near <- nearest(cells, 15)
  other <- sce$tech[near] != rep(sce$tech, 15)
  share <- table(sce$tech) / ncol(sce)
  by_chance <- mean(1 - share[sce$tech])
  set.seed(1)
  cluster <- stats::kmeans(cells, length(unique(sce$celltype)), nstart = 50, iter.max = 100)$cluster
  c(
    purity = mean(sce$celltype[near] == rep(sce$celltype, 15)), mixing = mean(other) / by_chance,
    ARI = adjusted_rand(sce$celltype, cluster), kept = compare_panels(columns, sce, random = 1)$kept[1],
    shared = length(intersect(columns, reference))
  )
}

# indices of the `count` nearest other cells, a row for each cell
nearest <- function(cells, count) {
  far <- as.matrix(stats::dist(cells))
  diag(far) <- Inf
  t(apply(far, 1, order))[, seq_len(count)]
}

# the cells on the leading components of the selected log expressions, centred within the
# levels of `block` where there is one
components_of <- function(sce, columns, block = NULL, count = 10) {
  x <- as.matrix(Matrix::t(SingleCellExperiment::logcounts(sce)[columns, ]))
  if (!is.null(block)) x <- x - apply(x, 2, stats::ave, block)
  stats::prcomp(x, rank. = count)$x
}
