# Two records compared, question by question.

# Numbers are equal if they differ by at most this share of the largest of them; gaps and prices,
# which are shares, if they differ by at most this.
tolerance <- 1e-6
shares <- c("gap", "price_least", "price_most")

# parts of an answer that may move in one direction: 1 where larger is better
better_when <- c(objective = -1, gap = -1, price_most = -1, price_least = 1)

# what fails unless bench/answers/named.csv gives the reason
failing <- c("worse", "other", "one refuses", "only in the first")

# what is counted only
quiet <- c("equal", "left out", "refused by both")

# ---- one answer ---------------------------------------------------------------------------------

# differences by entry, as shares; Inf where they cannot be compared
differences <- function(part, a, b) {
  known <- abs(c(a, b))
  size <- if (part %in% shares) 1 else max(1e-300, known[is.finite(known)])
  out <- as.vector(b - a) / size
  out[(is.na(a) & is.na(b)) | (a == b) %in% TRUE] <- 0
  replace(out, is.na(out), Inf)
}

same_shape <- function(a, b) {
  is.numeric(a) && is.numeric(b) && length(a) == length(b) &&
    identical(c(attributes(a)), c(attributes(b)))
}

part_word <- function(part, a, b) {
  if (!same_shape(a, b)) return(if (identical(a, b)) "equal" else "other")
  change <- differences(part, a, b)
  if (all(abs(change) <= tolerance)) return("equal")
  if (!part %in% names(better_when)) return("other")
  if (all(change * better_when[[part]] >= -tolerance)) "better" else "worse"
}

part_words <- function(a, b) {
  parts <- union(names(a), names(b))
  vapply(parts, function(part) part_word(part, a[[part]], b[[part]]), "")
}

# another objective explains all else; with the same one, all else has to be the same
answer_word <- function(a, b) {
  said <- function(what) sum(what == names(a), what == names(b))
  if (said("left_out") > 0) return("left out")
  if (said("refused") > 0) return(c("one refuses", "refused by both")[said("refused")])
  words <- part_words(a, b)
  if (words["objective"] %in% "better") return("better objective")
  if (words["objective"] %in% "worse") return("worse")
  found <- c("other", "worse", "better", "equal")
  c("other", "worse", "tighter", "equal")[match(TRUE, found %in% words)]
}

part_difference <- function(part, a, b) {
  if (same_shape(a, b)) {
    change <- differences(part, a, b)
    most <- which.max(abs(change))
    return(sprintf("%d of %d beyond rounding, most: %s %.7g, %.7g", sum(abs(change) > tolerance),
      length(a), c(names(a)[most], most)[1], a[most], b[most]
    ))
  }
  if (part %in% c("class", "role", "wider") && length(a) == length(b)) {
    at <- which(a != b)
    return(sprintf("%d of %d, first: %s %s, %s", length(at), length(a),
      c(names(a)[at], at)[1], a[at[1]], b[at[1]]
    ))
  }
  if (!is.character(a) || !is.character(b)) {
    return(sprintf("%d entries, %d, or other names", length(a), length(b)))
  }
  toString(c(paste0("-", setdiff(a, b), recycle0 = TRUE), paste0("+", setdiff(b, a),
    recycle0 = TRUE
  )))
}

# a line for each part that is not equal
answer_difference <- function(a, b) {
  refused <- c(a$refused, b$refused)
  if (!is.null(refused)) return(refused)
  words <- part_words(a, b)
  parts <- names(words)[words != "equal"]
  paste0(parts, ": ", mapply(part_difference, parts, a[parts], b[parts]))
}

# ---- all questions ------------------------------------------------------------------------------

# the reason that bench/answers/named.csv gives for each key; NA where there is none
named_reason <- function(keys, what) {
  named <- utils::read.csv(file.path("bench", "answers", "named.csv"), colClasses = "character")
  reason <- rep(NA_character_, length(keys))
  for (i in which(named$what == what)) reason[grepl(named$keys[i], keys)] <- named$reason[i]
  reason
}

compared <- function(before, after) {
  asked <- function(file) {
    answers <- readRDS(file)$answers
    answers[grepl(Sys.getenv("QUESTIONS", "."), names(answers), perl = TRUE)]
  }
  a <- asked(before)
  b <- asked(after)
  keys <- union(names(a), names(b))
  word <- vapply(keys, function(key) {
    if (is.null(b[[key]])) return("only in the first")
    if (is.null(a[[key]])) return("only in the second")
    answer_word(a[[key]]$answer, b[[key]]$answer)
  }, "")
  seconds <- function(x) vapply(keys, function(key) c(x[[key]]$seconds, NA_real_)[1], 0)
  table <- data.frame(
    key = keys, family = sub(" .*", "", keys), word = word, before = seconds(a),
    after = seconds(b), reason = named_reason(keys, "answer"), row.names = NULL
  )
  table$difference <- lapply(keys, function(key) {
    if (word[[key]] %in% quiet || startsWith(word[[key]], "only")) return(character(0))
    answer_difference(a[[key]]$answer, b[[key]]$answer)
  })
  table
}

markdown_table <- function(cells) {
  row <- function(words) paste0("| ", paste(words, collapse = " | "), " |")
  rule <- row(c("---", rep("---:", ncol(cells) - 1)))
  c(row(names(cells)), rule, apply(as.matrix(format(cells, trim = TRUE)), 1, row))
}

# by family: how many questions have which word, and the seconds of both
family_table <- function(table) {
  family <- factor(table$family, unique(table$family))
  counts <- unclass(table(family, table$word))
  counts <- rbind(counts, all = colSums(counts))
  sums <- function(values) {
    values[is.na(values)] <- 0
    sprintf("%.1f", c(tapply(values, family, sum), sum(values)))
  }
  cbind(family = rownames(counts), as.data.frame(counts),
    seconds = sums(table$before), "seconds after" = sums(table$after)
  )
}

compare <- function(before, after) {
  table <- compared(before, after)
  writeLines(markdown_table(family_table(table)))
  for (i in which(!table$word %in% quiet)) {
    reason <- if (is.na(table$reason[i])) "" else paste(", named:", table$reason[i])
    cat(sprintf("\n%s: %s%s\n", table$key[i], table$word[i], reason))
    writeLines(paste0("  ", table$difference[[i]], recycle0 = TRUE))
  }
  failed <- sum(table$word %in% failing & is.na(table$reason))
  cat(sprintf("\nWorse, other or gone, and not named: %d. Left out: %d.\n", failed,
    sum(table$word == "left out")
  ))
  failed == 0
}
