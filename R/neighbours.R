# Nearest neighbours of the samples: with z_i the centred rows, at the distance ||z_i - z_j||, or
# ||z_i / ||z_i|| - z_j / ||z_j|| || for "cosine". Of samples that are equally near (up to rounding)
# those that come first are taken, or with `ties` all of them.

neighbour_metrics <- c("euclidean", "cosine")

check_neighbour_memory <- function(data, k) {
  check_memory(neighbour_bytes(data_sizes(data), k), "k", "choose a smaller `k`")
}

# the lists of neighbours that the C code makes, distances in the units of x; those of
# directions have none
find_neighbours <- function(data, k, metric, ties) {
  inside <- in_binary_units(data)
  settings <- list(k = k, ties = as.integer(ties), metric = metric)
  found <- .Call(C_neighbours, unclass(inside), settings)[[1]]
  lengths <- c("distance", "largest", "mean")
  if (metric == "euclidean") found[lengths] <- lapply(found[lengths], `*`, inside$unit)
  found
}
