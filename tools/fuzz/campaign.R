# Hostile calls of everything the package exports or registers:
#   SEED=1 CALLS=2000 JOBS=2 Rscript tools/fuzz/campaign.R
#   SEED=3 CALL=1234 Rscript tools/fuzz/campaign.R     prints and runs one call
#   ONLY=alternatives SEED=1 ...     what has a name that matches, with the same in a replay
# Each worker is a process of its own that may crash or hang; the log says which
# call it was, and the next worker goes on after it. The exit status is 1 when
# something was found. LIMIT is the seconds of processor time that one call may
# take; one that sleeps may take ten times as long.

setting <- function(name, default) {
  value <- Sys.getenv(name)
  if (nzchar(value)) as.numeric(value) else default
}

seed <- setting("SEED", 1)
calls <- setting("CALLS", 2000)
jobs <- setting("JOBS", 1)
limit <- setting("LIMIT", 90) # alternatives() takes 60 where nobody says less
# a worker loads its packages once, which costs more than hundreds of calls
chunk <- max(250, min(2500, ceiling(calls / jobs)))
virtual_memory <- setting("MEMORY", 4e6) # kilobytes; 0: no limit
folder <- file.path("build", "fuzz")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
objects <- file.path(folder, "objects.rds")

made <- system2(file.path(R.home("bin"), "R"), c("--vanilla", "--no-echo", "-f",
  file.path("tools", "fuzz", "objects.R"), "--args", objects
))
if (made != 0) stop("the objects could not be made")

# ---- one call in the foreground ----------------------------------------------

call <- setting("CALL", NA)
if (!is.na(call)) {
  arguments <- c(seed, call, call, objects)
  source(file.path("tools", "fuzz", "replay.R"))
  generated <- generate_call(seed, call, known)
  cat("# helpers: tools/fuzz/values.R\n")
  cat(as_script(generated, seed, call), sep = "\n")
  found <- judge(generated, seed, call, new.env(parent = helpers))
  cat(sprintf("# %s [%s] %s\n", found$verdict, found$class, found$message))
  quit(status = 0)
}

# ---- workers -----------------------------------------------------------------

# a shell that limits the memory, runs a worker and leaves its exit status
start_worker <- function(number, from, to, attempt) {
  stem <- file.path(folder, sprintf("worker-%d", number))
  worker <- list(log = paste0(stem, ".log"), status = paste0(stem, ".status"),
    pid = paste0(stem, ".pid"), errors = paste0(stem, ".err"), from = from, to = to,
    attempt = attempt
  )
  unlink(unlist(worker[c("log", "status", "pid", "errors")]))
  file.create(worker$log)
  memory <- if (virtual_memory > 0) sprintf("ulimit -v %.0f; ", virtual_memory) else ""
  run <- sprintf("%s --vanilla --no-echo -f tools/fuzz/worker.R --args %d %d %d %s %s",
    shQuote(file.path(R.home("bin"), "R")), seed, from, to, objects, worker$log
  )
  command <- sprintf("(%s%s >/dev/null 2>%s </dev/null & echo $! >%s; wait $!; echo $? >%s) &",
    memory, run, worker$errors, worker$pid, worker$status
  )
  system(paste("sh -c", shQuote(command)), wait = FALSE, ignore.stdout = TRUE)
  worker$touched <- Sys.time()
  worker$size <- worker$used <- 0
  worker
}

read_log <- function(worker) {
  lines <- strsplit(readLines(worker$log, warn = FALSE), "\t", fixed = TRUE)
  ends <- Filter(function(fields) fields[1] == "end" && length(fields) >= 8, lines)
  begun <- Filter(function(fields) fields[1] == "begin" && length(fields) >= 4, lines)
  last <- if (length(begun) > 0) begun[[length(begun)]]
  finished <- vapply(ends, `[`, "", 2)
  list(ends = ends, open = if (!is.null(last) && !last[2] %in% finished) last)
}

finish_worker <- function(worker, hung) {
  status <- if (hung) "" else readLines(worker$status)
  if (hung) {
    tools::pskill(as.integer(readLines(worker$pid)), tools::SIGKILL)
  }
  log <- read_log(worker)
  found <- log$ends
  # a process that could not even start is started again, twice
  if (!hung && status != "0" && file.size(worker$log) == 0 && worker$attempt < 3) {
    return(list(records = NULL, from = worker$from, to = worker$to, attempt = worker$attempt + 1))
  }
  # nobody knows the call when the worker dies between two of them
  after <- worker$from + length(log$ends)
  if (hung || status != "0") {
    open <- log$open
    if (is.null(open)) open <- c("begin", after, "between calls", "")
    errors <- grep("ERROR:|runtime error|\\*\\*\\*|^Error|#[0-9]+ .* in rs?_",
      readLines(worker$errors, warn = FALSE), value = TRUE
    )
    message <- paste(c(paste("exit status", status), utils::head(errors, 3)), collapse = "; ")
    if (hung) message <- sprintf("more than %g s", limit)
    found <- c(found, list(c("end", open[2], open[3], if (hung) "hang" else "crash", "", message,
      "0", open[4])))
    after <- as.numeric(open[2]) + 1
  }
  list(records = found, from = after, to = worker$to, attempt = 1)
}

# seconds without a sign of life; the log grows at every call. A machine with
# other work gives a process little of its time, so that does not count in full.
idle <- function(worker) {
  size <- file.size(worker$log)
  used <- processor_seconds(worker)
  if (size != worker$size) {
    worker$size <- size
    worker$touched <- Sys.time()
    worker$used <- used
  }
  passed <- as.numeric(Sys.time() - worker$touched, units = "secs")
  worker$idle <- if (is.na(used)) passed else max(used - worker$used, passed / 10)
  worker
}

# of a worker so far; NA where it cannot be told
processor_seconds <- function(worker) {
  stat <- tryCatch(
    suppressWarnings(readLines(sprintf("/proc/%s/stat", readLines(worker$pid)[1]))),
    error = function(e) NA
  )
  # after the name: the 12th and 13th are ticks of the process and of its kernel
  ticks <- as.numeric(strsplit(sub("^.*[)] ", "", stat[1]), " ")[[1]][12:13])
  if (anyNA(ticks)) NA_real_ else sum(ticks) / 100
}

starts <- seq(1, calls, chunk)
queue <- lapply(starts, function(from) c(from, min(calls, from + chunk - 1), 1))
running <- list()
records <- list()
number <- 0
repeat {
  while (length(running) < jobs && length(queue) > 0) {
    number <- number + 1
    running[[length(running) + 1]] <- do.call(start_worker, as.list(c(number, queue[[1]])))
    queue <- queue[-1]
  }
  if (length(running) == 0) break
  Sys.sleep(0.2)
  for (i in rev(seq_along(running))) {
    running[[i]] <- idle(running[[i]])
    hung <- running[[i]]$idle > limit
    ended <- file.exists(running[[i]]$status) && file.size(running[[i]]$status) > 0
    if (!hung && !ended) next
    done <- finish_worker(running[[i]], hung && !ended)
    records <- c(records, done$records)
    if (done$from <= done$to) queue <- c(list(c(done$from, done$to, done$attempt)), queue)
    running[[i]] <- NULL
  }
}

# ---- summary -----------------------------------------------------------------

all <- as.data.frame(do.call(rbind, lapply(records, `[`, 2:8)))
names(all) <- c("index", "target", "verdict", "class", "message", "seconds", "call")
all$index <- as.integer(all$index)
all <- cbind(seed = seed, all[order(all$index), ])
log <- file.path(folder, sprintf("seed-%d.tsv", seed))
utils::write.table(all, log, sep = "\t", quote = FALSE, row.names = FALSE)

harmless <- c("edited", "ok", "refused", "usage", "setup")
offences <- all[!all$verdict %in% harmless, ]

# one line per function and message; numbers in messages do not tell them apart
gist <- gsub("[-+]?[0-9][0-9.e+-]*", "#", substr(offences$message, 1, 110))
key <- paste(offences$verdict, offences$target, gist, sep = " | ")
groups <- split(offences$index, factor(key, names(sort(table(key), decreasing = TRUE))))
for (name in names(groups)) {
  cat(sprintf("%4d x %s\n       CALL=%s\n", length(groups[[name]]), name,
    paste(utils::head(groups[[name]], 4), collapse = ", ")))
}
reached <- unique(all$target)
cat(sprintf("functions and methods reached: %d; median call %.1f ms, mean %.1f ms\n",
  length(reached), 1000 * stats::median(as.numeric(all$seconds)),
  1000 * mean(as.numeric(all$seconds))))
counts <- table(all$verdict)
cat(sprintf("seed %d, %d calls: %s\n", seed, nrow(all),
  paste(counts, names(counts), collapse = ", ")))
cat(sprintf("log: %s; replay with make fuzz SEED=%d CALL=<index>\n", log, seed))
quit(status = as.integer(nrow(offences) > 0))
