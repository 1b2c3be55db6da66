# Files of the vignettes that take long to make, or need packages that few have. For each,
# tools/precomputed.dcf has the script that makes it, the processor seconds, what is needed
# (packages, and files), and the code that it depends on, with a hash of that code when it was made:
# scripts and solvers; what R does around the solvers is held by the frozen answers.
# Where only the end of a search differs that ran against the clock, on a machine with other work,
# `git checkout` of the file alone keeps it, and the new hash.
#   Rscript tools/precomputed.R [name ...]   makes them again, and says what changed
#   Rscript tools/precomputed.R lint         names those that are older than their code

table_file <- file.path("tools", "precomputed.dcf")
entries <- read.dcf(table_file)
rownames(entries) <- entries[, "Name"]
words <- function(text) strsplit(trimws(text), "[[:space:]]+")[[1]]
files_of <- function(entry) Sys.glob(words(entry[["Makes"]]))

# ---- hashes -------------------------------------------------------------------------

# a file, those of a pattern, or the sources of a folder
sources_of <- function(path) {
  found <- Sys.glob(path)
  inside <- list.files(found[dir.exists(found)], "[.][ch]$", full.names = TRUE)
  sort(c(found[!dir.exists(found)], inside), method = "radix")
}

# text without comments and spaces where it is R or C
code_of <- function(file) {
  if (grepl("[.]R$", file)) {
    tokens <- utils::getParseData(parse(file, keep.source = TRUE, encoding = "UTF-8"))
    return(tokens$text[tokens$terminal & tokens$token != "COMMENT"])
  }
  text <- paste(readLines(file, warn = FALSE), collapse = "\n")
  if (grepl("[.][ch]$", file)) gsub("(?s)/[*].*?[*]/|\\s+", "", text, perl = TRUE) else text
}

hash_of <- function(path) {
  sources <- sources_of(path)
  if (length(sources) == 0) stop(table_file, " names ", path, ", which is no file")
  kept <- tempfile()
  on.exit(unlink(kept))
  writeLines(unlist(lapply(sources, code_of)), kept, useBytes = TRUE)
  substr(tools::md5sum(kept)[[1]], 1, 8)
}

# a line for each: path, and hash where one is recorded
dependencies <- function(entry) trimws(strsplit(trimws(entry[["Depends"]]), "\n")[[1]])

hashed <- function(entry) {
  paths <- sub(" .*", "", dependencies(entry))
  entry[["Depends"]] <- paste(paths, vapply(paths, hash_of, ""), collapse = "\n")
  entry
}

older <- function(entry) {
  if (!grepl("\\s[0-9a-f]{8}", entry[["Depends"]])) {
    message(entry[["Makes"]], ": made before hashes were kept")
    return(NULL)
  }
  changed <- setdiff(dependencies(hashed(entry)), dependencies(entry))
  if (length(changed) > 0) {
    sprintf("%s: older than %s; run make precomputed NAME=%s", entry[["Makes"]],
      toString(sub(" .*", "", changed)), entry[["Name"]]
    )
  }
}

unlisted <- function() {
  made <- list.files("vignettes", "[.](rds|png|Rmd[.]orig)$", recursive = TRUE, full.names = TRUE)
  listed <- unlist(apply(entries, 1, files_of))
  sprintf("%s does not list %s", table_file, setdiff(sub("[.]orig$", "", made), listed))
}

# ---- what changed ---------------------------------------------------------------------

# a line for each number of a nested list, with the words of its row; seconds always differ
lines_of <- function(x, name = "") {
  if (grepl("seconds|elapsed", name)) return(NULL)
  if (!is.list(x)) {
    text <- if (is.numeric(x)) signif(x, 7) else if (is.atomic(x)) x else deparse(x)
    labels <- if (is.atomic(x) && !is.null(names(x))) names(x) else seq_along(text)
    return(sprintf("%s[%s] = %s", name, labels, as.character(text)))
  }
  if (is.data.frame(x)) {
    rows <- do.call(paste, c(list(seq_len(nrow(x))), unname(x[vapply(x, is.character, NA)])))
    x <- lapply(x, stats::setNames, rows)
  }
  keys <- if (is.null(names(x))) seq_along(x) else names(x)
  unlist(Map(lines_of, unclass(x), paste0(name, "$", keys)), use.names = FALSE)
}

read_lines <- function(file) {
  switch(tools::file_ext(file),
    rds = lines_of(readRDS(file)), png = tools::md5sum(file)[[1]], readLines(file)
  )
}

# A file that is what it was, but for seconds, is put back
compare <- function(file, kept) {
  new <- read_lines(file)
  old <- if (file.exists(kept)) read_lines(kept)
  gone <- sprintf("    - %s", setdiff(old, new))
  come <- sprintf("    + %s", setdiff(new, old))
  equal <- length(c(gone, come)) == 0
  if (equal) file.copy(kept, file, overwrite = TRUE)
  said <- if (equal) "equal" else sprintf("%d of %d lines changed", length(come), length(new))
  writeLines(c(paste0("  ", file, ": ", said), utils::head(gone, 5), utils::head(come, 5)))
}

# ---- making ---------------------------------------------------------------------------

lacking <- function(entry) {
  needed <- words(entry[["Needs"]])
  shared <- Sys.getenv("ROWSPARSE_SHARED", file.path("..", "shared"))
  installed <- nzchar(vapply(needed, function(name) system.file(package = name), ""))
  needed[!(installed | file.exists(sub("^shared", shared, needed)))]
}

# The entry with the seconds and hashes of now; as it was where its files were not made
make <- function(entry) {
  name <- entry[["Name"]]
  missing <- lacking(entry)
  if (length(missing) > 0) {
    cat(sprintf("%s: NOT MADE, left as it is. Not here: %s\n", name, toString(missing)))
    return(entry)
  }
  log <- file.path("build", "precomputed", paste0(name, ".log"))
  dir.create(dirname(log), recursive = TRUE, showWarnings = FALSE)
  cat(sprintf("%s: some %s seconds, see %s\n", name, entry[["Seconds"]], log))
  held <- tempfile()
  dir.create(held)
  file.copy(files_of(entry), held)
  made <- hashed(entry)
  before <- sum(proc.time()[4:5])
  failed <- system2(file.path(R.home("bin"), "Rscript"), words(entry[["Run"]]), log, log,
    env = c("OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1")
  )
  made[["Seconds"]] <- format(signif(sum(proc.time()[4:5]) - before, 1), scientific = FALSE)
  for (file in files_of(entry)) {
    kept <- file.path(held, basename(file))
    if (failed) file.copy(kept, file, overwrite = TRUE) else compare(file, kept)
  }
  if (failed) cat(sprintf("%s: FAILED, left as it was\n", name))
  if (failed) entry else made
}

write_entries <- function() {
  text <- trimws(gsub("\n *", "\n ", paste0(colnames(entries), ": ", t(entries))), "right")
  writeLines(c(rbind(matrix(text, ncol(entries)), "")), table_file)
}

task <- commandArgs(TRUE)
if (identical(task, "lint")) {
  found <- c(unlist(apply(entries, 1, older)), unlisted())
  writeLines(found)
  quit(status = as.integer(length(found) > 0))
}
for (name in if (length(task) > 0) task else rownames(entries)) {
  entries[name, ] <- make(entries[name, ])
  write_entries()
}
