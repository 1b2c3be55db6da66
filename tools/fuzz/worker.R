# Runs the calls from one index to another and appends to a log:
#   Rscript tools/fuzz/worker.R <seed> <from> <to> <objects.rds> <log>
# A line "begin" before each call names the one that killed the process or hung.

arguments <- commandArgs(trailingOnly = TRUE)
source(file.path("tools", "fuzz", "replay.R"))
run <- as.integer(arguments[2]):as.integer(arguments[3])
log <- file(arguments[5], "a")

flat <- function(text, width) {
  text <- gsub("[[:space:]]+", " ", paste(text, collapse = "; "))
  text <- iconv(text, to = "ASCII", sub = "?")
  if (nchar(text) > width) paste0(substr(text, 1, width), "...") else text
}

record <- function(...) {
  writeLines(paste(..., sep = "\t"), log)
  flush(log)
}

for (index in run) {
  generated <- generate_call(seed, index, known)
  script <- flat(as_script(generated, seed, index)[-1], 400)
  record("begin", index, generated$target, script)
  started <- proc.time()[["elapsed"]]
  found <- judge(generated, seed, index, new.env(parent = helpers))
  record("end", index, generated$target, found$verdict, found$class, flat(found$message, 300),
    sprintf("%.3f", proc.time()[["elapsed"]] - started), script)
}
