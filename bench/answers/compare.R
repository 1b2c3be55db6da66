# Two records compared, question by question, and the tables of the page.

# Numbers are equal if they differ by at most this share of the largest of them; gaps and prices,
# which are shares, if they differ by at most this.
tolerance <- 1e-6
shares <- c("gap", "price_least", "price_most")

# parts of an answer that may move in one direction: 1 where larger is better
better_when <- c(objective = -1, gap = -1, price_most = -1, price_least = 1)

# what fails unless bench/answers/named.csv gives the reason
failing <- c("worse", "other", "one refuses", "only in the first")

# differences by entry, as shares; Inf where they cannot be compared
differences <- function(part, a, b) {
  size <- if (part %in% shares) 1 else max(0, abs(c(a, b))[is.finite(c(a, b))])
  out <- as.vector(b - a) / max(size, 1e-300)
  out[mapply(identical, as.vector(as.numeric(a)), as.vector(as.numeric(b)))] <- 0
  out[is.na(out)] <- Inf
  out
}

same_shape <- function(a, b) {
  is.numeric(a) && is.numeric(b) && length(a) == length(b) && identical(dim(a), dim(b)) &&
    identical(names(a), names(b)) && identical(dimnames(a), dimnames(b))
}

part_word <- function(part, a, b) {
  if (!same_shape(a, b)) {
    return(if (identical(a, b)) "equal" else "other")
  }
  change <- differences(part, a, b)
  if (all(abs(change) <= tolerance)) {
    return("equal")
  }
  if (!part %in% names(better_when)) {
    return("other")
  }
  if (all(change * better_when[[part]] >= -tolerance)) "better" else "worse"
}

part_words <- function(a, b) {
  parts <- union(names(a), names(b))
  vapply(parts, function(part) part_word(part, a[[part]], b[[part]]), "")
}

answer_word <- function(a, b) {
  said <- function(what) c(is.null(a[[what]]), is.null(b[[what]]))
  if (!all(said("left_out"))) {
    return("left out")
  }
  if (!all(said("refused"))) {
    return(if (any(said("refused"))) "one refuses" else "refused by both")
  }
  words <- part_words(a, b)
  objective <- c(words["objective"], "equal")[1]
  if (objective %in% c("better", "worse")) {
    return(if (objective == "better") "better objective" else "worse")
  }
  if ("other" %in% words) {
    return("other")
  }
  if ("worse" %in% words) "worse" else if ("better" %in% words) "tighter" else "equal"
}

# ---- what differs, in words ------------------------------------------------------------------

part_difference <- function(part, a, b) {
  if (is.character(a) && is.character(b) && is.null(names(a)) && part != "class") {
    said <- c(paste0("-", setdiff(a, b)), paste0("+", setdiff(b, a)))
    return(paste(setdiff(said, c("-", "+")), collapse = ", "))
  }
  if (length(a) != length(b)) {
    return(sprintf("%d entries, %d", length(a), length(b)))
  }
  if (!same_shape(a, b)) {
    return(sprintf("%d of %d entries, or their names, differ", sum(a != b), length(a)))
  }
  change <- differences(part, a, b)
  most <- which.max(abs(change))
  sprintf("%d of %d beyond rounding, most: %s %.7g, %.7g", sum(abs(change) > tolerance),
    length(a), c(names(a)[most], most)[1], a[most], b[most]
  )
}

answer_difference <- function(a, b) {
  refused <- c(a$refused, b$refused)
  if (!is.null(refused)) {
    return(refused)
  }
  words <- part_words(a, b)
  parts <- names(words)[words != "equal"]
  sprintf("%s: %s", parts, vapply(parts, function(part) {
    part_difference(part, a[[part]], b[[part]])
  }, ""))
}

# ---- all questions ----------------------------------------------------------------------------

# the reason that bench/answers/named.csv gives for each key; NA where there is none
named_reason <- function(keys, what) {
  named <- utils::read.csv(file.path("bench", "answers", "named.csv"), colClasses = "character")
  named <- named[named$what == what, ]
  hits <- lapply(named$keys, grepl, keys)
  vapply(seq_along(keys), function(i) {
    c(named$reason[vapply(hits, `[`, TRUE, i)], NA_character_)[1]
  }, "")
}

asked_of <- function(record) {
  pattern <- Sys.getenv("QUESTIONS", ".")
  record$answers[grepl(pattern, names(record$answers), perl = TRUE)]
}

compared <- function(before, after) {
  a <- asked_of(readRDS(before))
  b <- asked_of(readRDS(after))
  keys <- union(names(a), names(b))
  word <- vapply(keys, function(key) {
    if (is.null(b[[key]])) return("only in the first")
    if (is.null(a[[key]])) return("only in the second")
    answer_word(a[[key]]$answer, b[[key]]$answer)
  }, "")
  seconds <- function(x) vapply(keys, function(key) c(x[[key]]$seconds, NA_real_)[1], 0)
  difference <- lapply(keys, function(key) {
    if (word[[key]] %in% c("equal", "left out", "refused by both")) return(character(0))
    answer_difference(a[[key]]$answer, b[[key]]$answer)
  })
  list(
    table = data.frame(
      key = keys, family = sub(" .*", "", keys), word = word, before = seconds(a),
      after = seconds(b), reason = named_reason(keys, "answer"), row.names = NULL
    ), difference = stats::setNames(difference, keys)
  )
}

markdown_table <- function(cells) {
  row <- function(words) paste0("| ", paste(words, collapse = " | "), " |")
  rule <- row(c("---", rep("---:", ncol(cells) - 1)))
  c(row(names(cells)), rule, apply(as.matrix(format(cells, trim = TRUE)), 1, row))
}

# by family: how many questions have which word, and the seconds of both
family_table <- function(table) {
  counts <- table(factor(table$family, unique(table$family)), table$word)
  counts <- rbind(counts, all = colSums(counts))
  sums <- function(values) {
    by <- tapply(values, factor(table$family, unique(table$family)), sum, na.rm = TRUE)
    sprintf("%.1f", c(by, sum(values, na.rm = TRUE)))
  }
  out <- data.frame(family = rownames(counts), unclass(counts), check.names = FALSE)
  cbind(out, seconds = sums(table$before), "seconds after" = sums(table$after))
}

compare <- function(before, after) {
  result <- compared(before, after)
  table <- result$table
  writeLines(markdown_table(family_table(table)))
  for (i in which(lengths(result$difference) > 0)) {
    reason <- if (is.na(table$reason[i])) "" else paste(" (named:", table$reason[i], ")")
    cat(sprintf("\n%s: %s%s\n", table$key[i], table$word[i], reason))
    cat(paste0("  ", result$difference[[i]], "\n"), sep = "")
  }
  failed <- sum(table$word %in% failing & is.na(table$reason))
  cat(sprintf("\n%d answers are worse, other or gone and not named.\n", failed))
  failed == 0
}

# ---- the page ---------------------------------------------------------------------------------

page_file <- file.path("bench", "results", "public_results.md")
page_mark <- "<!-- From here on `Rscript bench/public_results.R page <file> <file>` wrote. -->"

# what two runs of one version answer, written below the mark of the page
page <- function(first, second) {
  about <- readRDS(first)$about
  result <- compared(first, second)
  why <- vapply(readRDS(first)$answers, function(one) c(one$answer$left_out, "")[1], "")
  why <- table(why[nzchar(why)])
  lines <- readLines(page_file)
  lines <- lines[seq_len(match(page_mark, lines, nomatch = length(lines)))]
  writeLines(c(
    lines, "", paste0(about, "."), "", markdown_table(family_table(result$table)), "",
    if (length(why) > 0) c(sprintf("Left out: %d, as %s.", why, names(why)), "")
  ), page_file)
  TRUE
}
