# Results are kept as files, one per part, data set, method and size: what is there is
# not computed again. Their folder carries the version of the protocol.

store_file <- function(part, ...) {
  folder <- file.path(store_folder, sprintf("%s-%d", part, protocol_version[[part]]))
  parts <- gsub("[ \"']", "", c(...))
  parts <- gsub("[^A-Za-z0-9.=+(),-]+", "_", parts)
  paste0(file.path(folder, parts[1], paste(parts[-1], collapse = "-")), ".rds")
}

# the value kept in `file`; else that of `expression`, which is kept from then on
kept <- function(file, expression, again = FALSE) {
  if (!again && file.exists(file)) {
    return(readRDS(file))
  }
  value <- expression
  keep(value, file)
  value
}

# written in one step, so that an interrupt leaves no half of a file
keep <- function(value, file) {
  dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
  draft <- paste0(file, ".", Sys.getpid())
  saveRDS(value, draft)
  file.rename(draft, file)
}

kept_or_null <- function(file) if (file.exists(file)) readRDS(file)
