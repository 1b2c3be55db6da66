# The tables of bench/results/usefulness.md, from what is in the store.

write_tables <- function() {
  results <- file.path("bench", "results")
  page <- file.path(results, "usefulness.md")
  former <- former_parts(page)
  clusters <- cluster_rows()
  sink(page)
  on.exit(sink())
  begin_page("usefulness")
  if (is.null(clusters)) writeLines(former$clusters) else cluster_tables(clusters)
  if (is.null(label_rows())) writeLines(former$labels) else label_tables()
  if (!is.null(clusters)) {
    utils::write.csv(rounded(clusters), file.path(results, "usefulness.csv"), row.names = FALSE,
      quote = FALSE, na = ""
    )
  }
}

# the lines of the tables of every part as they stand on the page
former_parts <- function(page) {
  lines <- if (file.exists(page)) readLines(page) else character()
  starts <- c(clusters = "^## Without labels", labels = "^## With labels")
  at <- vapply(starts, function(start) c(grep(start, lines), length(lines) + 1)[1], numeric(1))
  ends <- c(at[-1], length(lines) + 1) - 1
  Map(function(from, to) {
    part <- lines[seq_len(to - from + 1) + from - 1]
    c("", part[seq_len(max(which(nzchar(part)), 0))])
  }, at, ends)
}

# files of one part: data frame of file, data, label, k, split
stored <- function(part) {
  folder <- dirname(dirname(store_file(part, "any", "any")))
  files <- list.files(folder, "[.]rds$", recursive = TRUE)
  pattern <- "^(.*)/(.*)-k([0-9]+)(-split([0-9]+))?[.]rds$"
  pick <- function(group) sub(pattern, paste0("\\", group), files)
  table <- data.frame(file = file.path(folder, files), data = pick(1), label = pick(2),
    k = as.numeric(pick(3)), split = suppressWarnings(as.integer(pick(5)))
  )
  table[table$data %in% names(usefulness_kinds), ]
}

# ---- without labels ----------------------------------------------------------

# one row per data set, size, method and measure: value, the random sets' mean, sd and
# 90th percentile, share beaten, z; value is NA for a miss
cluster_rows <- function() {
  files <- stored("clusters")
  if (nrow(files) == 0) return(NULL)
  random <- files[files$label == "random", ]
  rows <- lapply(seq_len(nrow(random)), function(i) {
    sets <- readRDS(random$file[i])
    fits <- files[files$data == random$data[i] & files$k == random$k[i] & files$label != "random", ]
    do.call(rbind, lapply(seq_len(nrow(fits)), function(j) {
      beside_random(fits$label[j], readRDS(fits$file[j]), sets)
    }))
  })
  sized <- vapply(rows, NROW, 0L)
  rows <- do.call(rbind, rows)
  at <- rep(seq_along(sized), sized)
  rows <- cbind(data = random$data[at], k = random$k[at], rows)
  groups <- rep(names(usefulness_groups), lengths(usefulness_groups))
  rows$group <- groups[match(rows$data, unlist(usefulness_groups))]
  rows[order(match(rows$data, names(usefulness_kinds)), rows$k, rows$method), ]
}

beside_random <- function(label, fit, sets) {
  measures <- colnames(sets)
  value <- if (is.null(fit$measures)) rep(NA_real_, length(measures)) else fit$measures[measures]
  centre <- colMeans(sets)
  spread <- apply(sets, 2, stats::sd)
  share <- vapply(seq_along(measures), function(j) {
    mean(sets[, j] < value[j] - 1e-12) / 2 + mean(sets[, j] <= value[j] + 1e-12) / 2
  }, 0)
  data.frame(
    method = label, measure = measures, value = unname(value), mean = centre, sd = spread,
    p90 = apply(sets, 2, stats::quantile, 0.9), beaten = share,
    z = unname(ifelse(spread > 1e-9, (value - centre) / spread, 0)), cpu = fit$cpu, note = fit$note,
    row.names = NULL
  )
}

in_order <- function(labels) {
  known <- c(usual_order$clusters, usual_order$labels, "random")
  c(intersect(known, labels), setdiff(sort(labels), known))
}

cluster_tables <- function(rows) {
  for (k in sort(unique(rows$k))) summary_table(rows, k)
  group_table(rows)
  value_table(rows, 50, "acc", "ACC")
  cells_table(rows)
}

summary_table <- function(rows, k) {
  cat(sprintf("\n## Without labels, k = %d\n", k))
  rows <- rows[rows$k == k & rows$measure %in% c("acc", "nmi"), ]
  cells <- lapply(in_order(unique(rows$method)), function(method) {
    own <- rows[rows$method == method, ]
    miss <- is.na(own$value)
    both <- lapply(c("acc", "nmi"), function(measure) {
      served <- own[own$measure == measure & !miss, ]
      if (nrow(served) == 0) return(rep("-", 6))
      c(decimals(mean(served$beaten)), decimals(min(served$beaten)), decimals(mean(served$z)),
        decimals(min(served$z), 1), sum(served$value > served$p90), sum(served$z < -2))
    })
    c(method, sum(!miss) / 2, sum(miss) / 2, unlist(both))
  })
  cells <- do.call(rbind, cells)
  heads <- c("beaten", "worst", "z", "worst z", "> p90", "z < -2")
  colnames(cells) <- c("method", "sets", "misses", paste("ACC", heads), paste("NMI", heads))
  markdown(cells)
}

# mean share beaten by group of data sets
group_table <- function(rows) {
  cat("\n## Mean share of random sets beaten, by group: ACC / NMI\n\n")
  cat("(n): on n sets only, where the method missed some.\n")
  sizes <- sort(unique(rows$k))
  methods <- in_order(unique(rows$method))
  for (group in names(usefulness_groups)) {
    cat("\n", group, " (", toString(usefulness_groups[[group]]), ")\n", sep = "")
    cross_table(methods, sizes, function(method, k) {
      own <- rows[rows$method == method & rows$k == k & rows$group == group, ]
      served <- own[!is.na(own$value), ]
      shares <- vapply(c("acc", "nmi"), function(measure) {
        if (nrow(served) == 0) NA_real_ else mean(served$beaten[served$measure == measure])
      }, 0)
      count <- length(unique(served$data))
      partial <- count > 0 && count < length(unique(own$data))
      paste0(paste(decimals(shares), collapse = " / "), if (partial) sprintf(" (%d)", count))
    }, paste("k =", sizes))
  }
}

# value (share beaten) of every data set; bold above the 90th percentile
value_table <- function(rows, k, measure, title) {
  rows <- rows[rows$k == k & rows$measure == measure, ]
  methods <- in_order(unique(rows$method))
  names <- intersect(names(usefulness_kinds), rows$data)
  cat(sprintf("\n## %s by data set, k = %d: value (share of random sets beaten)\n", title, k))
  cells <- outer(names, methods, Vectorize(function(name, method) {
    own <- rows[rows$data == name & rows$method == method, ]
    if (nrow(own) == 0) return("")
    if (is.na(own$value)) return(if (own$note == "limit") "limit" else "failed")
    text <- sub("^0", "", decimals(own$value, 3))
    if (own$value > own$p90) text <- sprintf("**%s**", text)
    sprintf("%s (%s)", text, decimals(own$beaten))
  }))
  colnames(cells) <- methods
  first <- match(names, rows$data)
  markdown(cbind(data = names, "random mean" = sub("^0", "", decimals(rows$mean[first], 3)),
    sd = sub("^0", "", decimals(rows$sd[first], 3)),
    p90 = sub("^0", "", decimals(rows$p90[first], 3)), cells
  ))
}

# single cells: means over the sets, by view and size
cells_table <- function(rows) {
  rows <- rows[rows$group == "cells", ]
  if (nrow(rows) == 0) return(invisible())
  cat("\n## Single cells: mean over the sets (mean share of random sets beaten)\n\n")
  cat("`pc`: the", component_count, "leading components of the selected columns.\n")
  names <- intersect(c("acc", "nmi", "purity", "acc_pc", "nmi_pc", "purity_pc"), rows$measure)
  for (k in sort(unique(rows$k))) {
    methods <- in_order(unique(rows$method[rows$k == k]))
    of <- function(method, measure) {
      rows[rows$method == method & rows$measure == measure & rows$k == k & !is.na(rows$value), ]
    }
    cells <- outer(methods, names, Vectorize(function(method, measure) {
      own <- of(method, measure)
      if (nrow(own) == 0) return("-")
      sprintf("%s (%s)", decimals(mean(own$value), 3), decimals(mean(own$beaten)))
    }))
    random <- vapply(names, function(measure) {
      decimals(mean(rows$mean[rows$method == methods[1] & rows$measure == measure & rows$k == k]),
        3)
    }, "")
    sets <- vapply(methods, function(method) nrow(of(method, names[1])), 0L)
    cells <- cbind(c(methods, "random"), c(sets, max(sets)), rbind(cells, random))
    colnames(cells) <- c(sprintf("k = %d", k), "sets", names)
    markdown(cells)
  }
}

# ---- with labels -------------------------------------------------------------

# error rates: data, label, k, split, nn, lda, svm
label_rows <- function() {
  files <- stored("labels")
  rows_of(seq_len(nrow(files)), function(i) {
    result <- readRDS(files$file[i])
    rates <- if (is.matrix(result)) colMeans(result) else colSums(result$errors) / result$n
    cpu <- if (is.matrix(result)) NA else mean(vapply(result$fits, function(fit) {
      if (is.null(fit$cpu)) NA_real_ else fit$cpu
    }, 0), na.rm = TRUE)
    cbind(files[i, c("data", "label", "k", "split")], t(rates), cpu = cpu)
  })
}

# the splits that most methods have, for every data set and size; with their number
complete_splits <- function(rows) {
  methods <- stats::ave(seq_len(nrow(rows)), rows$data, rows$k, rows$split, FUN = length)
  rows <- rows[methods == stats::ave(methods, rows$data, rows$k, FUN = max), ]
  rows$splits <- stats::ave(rows$split, rows$data, rows$k, FUN = function(s) length(unique(s)))
  rows
}

# sets on which every method of the table has a value, at one size
common_sets <- function(rows, value) {
  served <- tapply(!is.na(rows[[value]]), rows$data, sum)
  names(served)[served == max(served)]
}

label_tables <- function() {
  rows <- label_rows()
  if (is.null(rows)) return(invisible())
  cat("\n## With labels: cross-validated error, 1-NN / shrinkage LDA / linear SVM\n\n")
  rows <- complete_splits(rows)
  rows <- stats::aggregate(rows[c("nn", "lda", "svm", "cpu")],
    rows[c("data", "label", "k", "splits")], mean, na.rm = TRUE
  )
  cat("Mean over the data sets that every method served, and over the splits that all\n")
  cat("methods have; in brackets the sets on which the method has the least error, ties\n")
  cat("shared; s: processor seconds of a fit.\n")
  for (k in sort(unique(rows$k))) label_summary(rows[rows$k == k, ], k)
}

label_summary <- function(rows, k) {
  methods <- in_order(unique(rows$label))
  sets <- common_sets(rows, "nn")
  rows <- rows[rows$data %in% sets, ]
  cells <- vapply(c("nn", "lda", "svm"), function(classifier) {
    errors <- wide(rows, classifier, methods, sets)
    won <- errors <= apply(errors, 1, min) + 1e-12
    sprintf("%s (%s)", decimals(colMeans(errors), 3), decimals(colSums(won / rowSums(won)), 1))
  }, character(length(methods)))
  cells <- matrix(cells, length(methods))
  colnames(cells) <- c("1-NN", "LDA", "SVM")
  seconds <- vapply(methods, function(method) mean(rows$cpu[rows$label == method]), 0)
  cells <- cbind(methods, cells, decimals(seconds))
  splits <- paste(unique(range(rows$splits)), collapse = " to ")
  head <- sprintf("k = %d (%d sets, %s splits)", k, length(sets), splits)
  colnames(cells)[c(1, 5)] <- c(head, "s")
  markdown(cells)
}

wide <- function(rows, value, methods, sets) {
  table <- matrix(NA_real_, length(sets), length(methods))
  table[cbind(match(rows$data, sets), match(rows$label, methods))] <- rows[[value]]
  table
}
