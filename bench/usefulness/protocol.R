# What is held fixed when features are judged: the data sets and their scales, the
# sizes, the random sets, the starts of k-means. A change of anything here that
# changes a number needs a new version, and all results are computed again.

protocol_version <- c(clusters = 1, labels = 1)

usefulness_kinds <- c(
  GLIOMA = "array", ALLAML = "array", orlraws10P = "image", COIL20 = "image", Isolet = "spoken",
  pie = "image", UMIST = "image", warpPIE10P = "image", lung_discrete = "array", SRBCT = "array",
  USPS_1000 = "image",
  borovecki = "array", christensen = "array", nakayama = "array", pomeroy = "array", su = "array",
  subramanian = "array", west = "array",
  mECS = "cells", Goolam = "cells", panc8_small = "cells", yan124 = "cells", zheng500 = "cells",
  mix_3cl_2batch = "cells", mix_rnamix_celseq2 = "cells"
)
usefulness_groups <- list(
  papers = names(usefulness_kinds)[1:11], arrays = names(usefulness_kinds)[12:18],
  cells = names(usefulness_kinds)[19:25]
)

cluster_sizes <- c(50, 20, 100, 200, 500) # in the order in which they are computed
largest_size <- function(kind) if (kind %in% c("array", "cells")) 500 else 200
random_count <- 100
start_count <- 20
neighbour_count <- 15
component_count <- 20

# list(name, kind, x, y, transform): x as every method gets it, y as integers 1..K
usefulness_data <- function(name) {
  data <- bench_data(name)
  x <- data$x
  counts <- inherits(x, "dgCMatrix")
  if (counts) x <- logged(x) else storage.mode(x) <- "double"
  list(
    name = name, kind = usefulness_kinds[[name]], x = x, y = match(data$y, sort(unique(data$y))),
    transform = if (counts) "log2(1 + count / size factor)" else "none"
  )
}

varying_columns <- function(x) which(!quiet(rowsparse:::as_data(x))$constant)

dense_part <- function(x, columns) unname(as.matrix(x[, columns, drop = FALSE]))

sizes_served <- function(data, sizes) sizes[sizes < ncol(data$x) & sizes <= largest_size(data$kind)]

fixed_seed <- function(seed) {
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
}

# `count` random sets of k columns that vary: a matrix, one set per row. The seed
# depends on k only, and is set before and apart from that of the starts.
random_selections <- function(data, k, count = random_count) {
  columns <- varying_columns(data$x)
  fixed_seed(1000 + k)
  t(vapply(seq_len(count), function(i) columns[sample.int(length(columns), k)], numeric(k)))
}

# Orders of the samples: k-means starts from the first samples of each that differ,
# as many as there are classes. The same for every set of features.
start_orders <- function(data) {
  fixed_seed(1)
  lapply(seq_len(start_count), function(i) sample.int(length(data$y)))
}

# Results are kept as files, one per part, data set, method and size: what is there is
# not computed again. Their folder carries the version of the protocol.

store_file <- function(part, ...) {
  folder <- file.path(store_folder, sprintf("%s-%d", part, protocol_version[[part]]))
  parts <- gsub("[ \"']", "", c(...))
  parts <- gsub("[^A-Za-z0-9.=+(),-]+", "_", parts)
  paste0(file.path(folder, parts[1], paste(parts[-1], collapse = "-")), ".rds")
}
