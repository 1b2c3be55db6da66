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

# MD5 of an object's bytes, but for the header that tells the version of R
checksum <- function(object) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(serialize(object, NULL, xdr = TRUE, version = 2)[-(1:14)], file)
  unname(tools::md5sum(file))
}

# a seed that follows from another and from a text
seed_of <- function(seed, text) {
  bytes <- strtoi(substr(checksum(list(as.double(seed), text)), 1, 7), 16L)
  bytes + 1L
}
