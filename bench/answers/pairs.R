# Seconds of two installed versions for the same questions, in pairs: A, B, B, A, each time in a
# process of its own, the smallest of each version. No ratio above 1.3, and their geometric mean
# at most 1.05, but for what bench/answers/named.csv names.

most_slower <- 1.3
most_mean <- 1.05

# processor seconds of one call; short ones are repeated, in two batches of a twentieth of a second
seconds_of_call <- function(question) {
  first <- answer_to(question)
  if (!is.null(first$answer$refused) || !is.null(first$answer$left_out)) return(NA_real_)
  if (first$seconds > 1) return(first$seconds)
  calls <- ceiling(0.05 / max(first$seconds, 0.002))
  batches <- vapply(seq_len(if (first$seconds > 0.1) 1 else 2), function(batch) {
    before <- proc.time()
    for (call in seq_len(calls)) answer_to(question)
    sum((proc.time() - before)[c("user.self", "sys.self")]) / calls
  }, 0)
  min(batches, first$seconds[first$seconds > 0.1])
}

# The work of one process: seconds of the questions whose keys stand in a file
time_keys <- function(keys, out, library) {
  load_version(library)
  questions <- all_questions()
  saveRDS(vapply(questions[readLines(keys)], seconds_of_call, 0), out)
  TRUE
}

# one round: keys by libraries
round_of <- function(keys, libraries) {
  files <- tempfile(c("keys", "out"))
  on.exit(unlink(files))
  writeLines(keys, files[1])
  vapply(libraries, function(library) {
    unlink(files[2])
    system2(file.path(R.home("bin"), "Rscript"),
      shQuote(c("bench/public_results.R", "time_keys", files, library))
    )
    if (file.exists(files[2])) readRDS(files[2]) else rep(NA_real_, length(keys))
  }, numeric(length(keys)))
}

# the smallest of some rounds, a hundred questions at a time
smallest <- function(keys, libraries, rounds) {
  parts <- split(keys, (seq_along(keys) - 1) %/% 100)
  do.call(rbind, lapply(parts, function(part) {
    runs <- lapply(seq_len(rounds), function(i) {
      turn <- if (i %% 2 == 1) 1:2 else 2:1
      matrix(round_of(part, libraries[turn]), length(part))[, turn, drop = FALSE]
    })
    out <- do.call(pmin, runs)
    rownames(out) <- part
    message(sprintf("%s ... %s", part[1], part[length(part)]))
    out
  }))
}

pairs <- function(library_a, library_b) {
  load_version(library_a)
  libraries <- c(library_a, library_b)
  seconds <- smallest(names(all_questions()), libraries, 2)
  apart <- rownames(seconds)[which(abs(log(seconds[, 2] / seconds[, 1])) > log(most_slower))]
  if (length(apart) > 0) { # other work on the machine may have done it
    seconds[apart, ] <- pmin(seconds[apart, , drop = FALSE], smallest(apart, libraries, 4))
  }
  table <- data.frame(
    question = rownames(seconds), before = seconds[, 1], now = seconds[, 2],
    ratio = seconds[, 2] / seconds[, 1], reason = named_reason(rownames(seconds), "seconds")
  )
  table <- table[order(-table$ratio), ]
  shown <- table[1:4]
  shown[2:4] <- lapply(table[2:4], function(x) sprintf("%.4f", x))
  writeLines(markdown_table(shown))
  open <- is.finite(table$ratio) & is.na(table$reason)
  mean_ratio <- exp(mean(log(table$ratio[open])))
  beyond <- table$question[open & table$ratio > most_slower]
  cat(sprintf("\nGeometric mean of %d ratios: %.3f. Above %.1f: %s.\n", sum(open), mean_ratio,
    most_slower, if (length(beyond) > 0) toString(beyond) else "none"
  ))
  length(beyond) == 0 && mean_ratio <= most_mean
}
