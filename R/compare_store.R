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
    if (!is.null(seed)) warn_unfit(file, 1L)
    seed <- draw_seed()
    write_kept(seed, file)
  }
  list(folder = store, seed = seed)
}

draw_seed <- function() sample.int(.Machine$integer.max, 1L)

# results by job, NULL where there is none that serves
kept_results <- function(jobs, time_limit) {
  found <- lapply(jobs, function(job) if (!is.null(job$file)) read_kept(job$file))
  unfit <- !vapply(found, is.null, NA) & !mapply(is_kept_result, found, jobs)
  if (any(unfit)) warn_unfit(jobs[[which(unfit)[1]]]$file, sum(unfit))
  found[unfit] <- list(NULL)
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

# what comparison_job() makes, of this job where its key says so
is_kept_result <- function(kept, job) {
  one <- function(value) is.numeric(value) && length(value) == 1L
  fits <- list(
    key = is.list, rows = is.data.frame, elapsed = one, note = is_text, failed = is_text,
    time_limit = function(value) one(value) && !is.na(value)
  )
  is.list(kept) && identical(names(kept), names(fits)) &&
    all(mapply(function(fits, part) fits(part), fits, kept)) &&
    (!identical(kept$key, job$key) || are_kept_scores(kept$rows, job))
}

# the table of score_choice(), a row for every size
are_kept_scores <- function(rows, job) {
  columns <- names(empty_scores(job$method, job$key$k))
  identical(names(rows), columns) && identical(as.numeric(rows$k), as.numeric(job$key$k)) &&
    all(vapply(rows[columns[-1]], is.numeric, NA))
}

warn_unfit <- function(file, count) {
  warn_rowsparse("store", sprintf(
    "%s in the store cannot be read as what it should hold, and %s made again: %s.",
    count_of(count, "file"), if (count == 1L) "is" else "are",
    if (count == 1L) quoted(basename(file)) else paste("the first is", quoted(basename(file)))
  ))
}

keep_result <- function(result, file) {
  if (!is.null(file)) {
    dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
    write_kept(result, file)
  }
}

# Written aside, read back, and renamed, so that neither an interrupt nor a full disk spoils
# what was there
write_kept <- function(value, file) {
  draft <- paste0(file, ".", Sys.getpid())
  on.exit(unlink(draft))
  problem <- tryCatch(
    {
      suppressWarnings(saveRDS(value, draft))
      if (identical(read_kept(draft), value)) "" else "it came back incomplete, as from a full disk"
    },
    error = function(e) sub("[.]$", "", conditionMessage(e))
  )
  if (nzchar(problem) || !suppressWarnings(file.rename(draft, file))) {
    stop_rowsparse("store", "store", "must be a folder that takes the results", paste0(
      quoted(basename(file)), " that could not be written", if (nzchar(problem)) ": ", problem
    ), "What is there already stays as it was")
  }
}

# NULL where there is no file, NA where it cannot be read
read_kept <- function(file) {
  if (!file.exists(file)) {
    return(NULL)
  }
  tryCatch(or_default(suppressWarnings(readRDS(file)), NA), error = function(e) NA)
}

store_file <- function(folder, data, method) {
  file.path(folder, file_name(data), paste0(file_name(method), ".rds"))
}

# names that no file system minds, at most 120 bytes; what had to be changed is told apart by
# its checksum
file_name <- function(label) {
  plain <- gsub("[^A-Za-z0-9_.-]+", "_", label, useBytes = TRUE)
  if (identical(plain, label) && !startsWith(plain, ".") && nchar(plain) <= 120) {
    return(plain)
  }
  paste0("_", substr(plain, 1, 100), "-", substr(checksum(label), 1, 8))
}

# ---- checksums -------------------------------------------------------------------

# MD5 of an object's bytes, but for the header that tells the version of R
checksum <- function(object) {
  file <- tempfile()
  on.exit(unlink(file))
  bytes <- serialize(object, NULL, xdr = TRUE, version = 2)[-(1:14)]
  written <- tryCatch(
    {
      suppressWarnings(writeBin(bytes, file))
      identical(as.double(file.size(file)), as.double(length(bytes)))
    },
    error = function(e) FALSE
  )
  if (!written) {
    stop_rowsparse("store", "tempdir()", "must take the data for their checksum",
      sprintf("no room for %.2g MB", length(bytes) / 1e6)
    )
  }
  unname(tools::md5sum(file))
}

# a seed that follows from another and from a text
seed_of <- function(seed, text) {
  bytes <- strtoi(substr(checksum(list(as.double(seed), text)), 1, 7), 16L)
  bytes + 1L
}
