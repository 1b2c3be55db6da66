# An atlas as counts in an HDF5 file of the layout of 10x Genomics, written in pieces of cells.

# Genes of skewed mean, a share of them of one type of cells each (`markers` genes a type, four
# to sixteen times the mean there), libraries of unequal depth, and batches that shift a tenth
# of the genes
atlas_design <- function(genes, types = 20L, markers = 15L, batches = 2L, stored = 0.05) {
  mean <- stats::rgamma(genes, 0.25)
  # the mean at which the wanted share of counts is above zero
  share <- function(scale) mean(1 - exp(-scale * mean)) - stored
  mean <- mean * stats::uniroot(share, c(1e-6, 1e3))$root
  expressed <- which(mean > stats::quantile(mean, 0.5))
  of_type <- matrix(sample(expressed, types * markers), markers)
  fold <- matrix(1, genes, types)
  for (type in seq_len(types)) fold[of_type[, type], type] <- 2^stats::runif(markers, 2, 4)
  shift <- matrix(1, genes, batches)
  moved <- sample(genes, genes %/% 10)
  for (batch in seq_len(batches)[-1]) shift[moved, batch] <- 2^stats::rnorm(length(moved))
  list(mean = mean, fold = fold, shift = shift, of_type = of_type)
}

# cells of one piece: genes in rows
atlas_counts <- function(design, type, batch) {
  depth <- stats::rlnorm(length(type), 0, 0.35)
  columns <- lapply(seq_along(type), function(cell) {
    rate <- design$mean * design$fold[, type[cell]] * design$shift[, batch[cell]] * depth[cell]
    count <- stats::rpois(length(rate), rate)
    at <- which(count > 0L)
    list(at = at - 1L, count = count[at])
  })
  list(
    at = unlist(lapply(columns, `[[`, "at")), count = unlist(lapply(columns, `[[`, "count")),
    sizes = lengths(lapply(columns, `[[`, "at"))
  )
}

# cells in memory: counts with cells in rows, types, and the markers
atlas_cells <- function(cells, genes, types = 20L, stored = 0.05, piece = 5000L) {
  design <- atlas_design(genes, types, stored = stored)
  type <- sample(types, cells, replace = TRUE, prob = exp(-seq_len(types) / 6))
  parts <- lapply(split(type, (seq_along(type) - 1) %/% piece), function(some) {
    found <- atlas_counts(design, some, rep(1L, length(some)))
    Matrix::t(Matrix::sparseMatrix(i = found$at + 1L, p = c(0, cumsum(found$sizes)),
      x = found$count + 0, dims = c(genes, length(some))
    ))
  })
  list(x = do.call(rbind, parts), y = factor(type), markers = design$of_type)
}

# writes the file and, beside it, what is known of cells and genes; returns the latter
simulate_atlas <- function(file, cells, genes, piece = 2000L, seed = 1) {
  set.seed(seed)
  design <- atlas_design(genes)
  types <- ncol(design$fold)
  # types of unequal size, the rarest half a percent
  type <- sample(types, cells, replace = TRUE, prob = exp(-seq_len(types) / 6))
  batch <- sample(ncol(design$shift), cells, replace = TRUE)
  unlink(file)
  rhdf5::h5createFile(file)
  rhdf5::h5createGroup(file, "matrix")
  for (name in c("data", "indices")) {
    rhdf5::h5createDataset(file, paste0("matrix/", name), 0, maxdims = rhdf5::H5Sunlimited(),
      storage.mode = "integer", chunk = 2^17, level = 3
    )
  }
  end <- 0
  pointers <- numeric(cells + 1L)
  for (first in seq.int(1L, cells, by = piece)) {
    some <- seq.int(first, min(cells, first + piece - 1L))
    found <- atlas_counts(design, type[some], batch[some])
    pointers[some + 1L] <- end + cumsum(found$sizes)
    index <- list(seq.int(end + 1, length.out = length(found$at)))
    end <- end + length(found$at)
    for (name in c("data", "indices")) {
      rhdf5::h5set_extent(file, paste0("matrix/", name), end)
      rhdf5::h5write(if (name == "data") found$count else found$at, file,
        paste0("matrix/", name), index = index
      )
    }
  }
  names <- list(
    genes = sprintf("gene%05d", seq_len(genes)), cells = sprintf("cell%07d", seq_len(cells))
  )
  rhdf5::h5write(as.integer(pointers), file, "matrix/indptr")
  rhdf5::h5write(c(as.integer(genes), as.integer(cells)), file, "matrix/shape")
  rhdf5::h5write(names$genes, file, "matrix/genes")
  rhdf5::h5write(names$cells, file, "matrix/barcodes")
  rhdf5::h5closeAll()
  about <- list(
    type = type, batch = factor(paste0("batch", batch)),
    of_type = names$genes[sort(unique(as.vector(design$of_type)))], stored = end / cells / genes
  )
  saveRDS(about, paste0(file, ".rds"))
  invisible(about)
}
