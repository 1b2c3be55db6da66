# What compare_methods() keeps: one file per data set and method, and the number that
# all draws follow from.

# list(folder, seed); the folder is NULL where nothing is kept
open_store <- function(store) {
  if (is.null(store)) {
    return(list(folder = NULL, seed = draw_seed()))
  }
  if (!is_text(store) || !nzchar(store)) {
    stop_rowsparse("type", "store", "must be the name of a folder", describe(store))
  }
  dir.create(store, recursive = TRUE, showWarnings = FALSE)
  if (!dir.exists(store) || file.access(store, 2) != 0) {
    stop_rowsparse("type", "store", "must be a folder that can be written to", quoted(store))
  }
  store <- normalizePath(store)
  file <- file.path(store, "seed.rds")
  seed <- read_kept(file)
  if (!is_count(seed)) {
    seed <- draw_seed()
    write_kept(seed, file)
  }
  list(folder = store, seed = seed)
}

draw_seed <- function() sample.int(.Machine$integer.max, 1L)

# results by job, NULL where there is none that serves
kept_results <- function(jobs, time_limit) {
  found <- lapply(jobs, function(job) if (!is.null(job$file)) read_kept(job$file))
  stale <- mapply(function(job, kept) !is.null(kept) && !identical(kept$key, job$key), jobs, found)
  if (any(stale)) {
    say_rowsparse("stale", sprintf(
      "%d of %d results in the store are of other data or settings, and are made again.",
      sum(stale), length(jobs)
    ))
  }
  Map(function(kept, stale) {
    ended <- is.list(kept) && !stale &&
      (kept$failed == "" || (kept$failed == "limit" && time_limit <= kept$time_limit))
    if (ended) kept
  }, found, stale)
}

keep_result <- function(result, file) {
  if (!is.null(file)) {
    dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
    write_kept(result, file)
  }
}

# in one step, so that an interrupt leaves no half of a file
write_kept <- function(value, file) {
  draft <- paste0(file, ".", Sys.getpid())
  saveRDS(value, draft)
  file.rename(draft, file)
}

read_kept <- function(file) {
  if (!file.exists(file)) {
    return(NULL)
  }
  tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)
}

store_file <- function(folder, data, method) {
  file.path(folder, file_name(data), paste0(file_name(method), ".rds"))
}

# names that no file system minds; what had to be changed is told apart by its checksum
file_name <- function(label) {
  plain <- gsub("[^A-Za-z0-9_.-]+", "_", label)
  if (identical(plain, label) && !startsWith(plain, ".")) {
    return(plain)
  }
  paste0("_", plain, "-", substr(checksum(label), 1, 8))
}

# ---- checksums -------------------------------------------------------------------

# A string that two objects share only if they are equal, as good as surely. The bytes of
# the object, but for the header that tells the version of R, are reduced in blocks of
# 4096 by sums(w[i] * byte[i]) modulo p, with two sets of weights, until one block
# is left. All sums stay below 2^53: they are exact, in any order.
checksum <- function(object) {
  bytes <- serialize(object, NULL, xdr = TRUE, version = 2)[-(1:14)]
  count <- length(bytes)
  while (length(bytes) > checksum_block) bytes <- fold_blocks(bytes)
  paste0(c(as.character(fold_blocks(bytes)), sprintf("-%.0f", count)), collapse = "")
}

checksum_block <- 4096L
checksum_modulus <- 2^31 - 1
checksum_weights <- t(vapply(c(16807, 48271), function(base) {
  Reduce(function(power, i) (power * base) %% checksum_modulus, seq_len(checksum_block - 1L),
    base, accumulate = TRUE
  )
}, numeric(checksum_block)))

# eight bytes for each block
fold_blocks <- function(bytes) {
  blocks <- ceiling(length(bytes) / checksum_block)
  sums <- lapply(split_evenly(blocks, 256L), function(at) {
    chosen <- bytes[seq((at[1] - 1) * checksum_block + 1, at[length(at)] * checksum_block)]
    # beyond the end
    chosen <- matrix(as.double(as.integer(chosen)), checksum_block)
    (checksum_weights %*% chosen) %% checksum_modulus
  })
  writeBin(as.integer(unlist(sums)), raw(), endian = "big")
}

# 1, ..., count in pieces of a length
split_evenly <- function(count, length) {
  lapply(seq(1, count, by = length), function(first) first:min(count, first + length - 1L))
}

# a seed that follows from another and from a text
seed_of <- function(seed, text) {
  bytes <- strtoi(substr(checksum(list(as.double(seed), text)), 1, 7), 16L)
  bytes + 1L
}
