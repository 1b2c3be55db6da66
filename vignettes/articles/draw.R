# What the articles share: their settings, the results they are built from, and panels of curves.

knitr::opts_chunk$set(
  collapse = TRUE, comment = "#>", fig.width = 9, dpi = 96, fig.retina = 2, fig.align = "center",
  out.width = "100%", echo = FALSE
)

results <- function(name) file.path("..", "..", "bench", "results", "papers", name)

labels <- c(
  all = "all features", first = "first columns", random = "random", lapscore = "LapScore",
  rne = "RNE", udfs = "UDFS", sogfs = "SOGFS", spcafs = "SPCAFS", fspca = "FSPCA",
  spca_psd = "SPCA-PSD", cspca_psd = "CSPCA-PSD", aw_spca_psd = "AW-SPCA-PSD",
  fen_pcafs = "FEN-PCAFS", bsufs = "BSUFS", dscofs = "DSCOFS", css = "css",
  bsufs_rows = "BSUFS, rows only", bsufs_entries = "BSUFS, entries only", kmeans_ufs = "K-means UFS",
  alignment = "alignment", variance = "variance", tsfs = "TSFS+TSNE"
)
label <- function(method) ifelse(method %in% names(labels), labels[method], method)
set_names <- c(lung_discrete = "LUNG", USPS_1000 = "USPS", UMIST = "umist", orlraws10P = "Orlraws10P")
set_label <- function(data) ifelse(data %in% names(set_names), set_names[data], data)

# One colour for each method, the same in every figure
colours <- c(
  lapscore = "#7f7f7f", rne = "#8c564b", udfs = "#17a2b8", sogfs = "#2ca02c", spcafs = "#9467bd",
  fspca = "#e69f00", spca_psd = "#1f4e9c", cspca_psd = "#56b4e9", aw_spca_psd = "#cc79a7",
  fen_pcafs = "#e377c2", bsufs = "#d62728", dscofs = "#d62728"
)
colour_of <- function(methods) unname(ifelse(methods %in% names(colours), colours[methods], "black"))

# Panels of a data set each, with a curve over the sizes for each method and its legend in the last;
# `rows` has data, method, k and the column `value`; all features are a level line
curve_panels <- function(rows, sets, methods, value, columns = 4, ylab = value) {
  lines <- ceiling((length(sets) + 1) / columns)
  op <- par(mfrow = c(lines, columns), mar = c(3, 3, 2, 0.5), mgp = c(1.8, 0.6, 0), las = 1)
  on.exit(par(op))
  for (set in sets) {
    own <- rows[rows$data == set & rows$method %in% c(methods, "all"), ]
    curves <- own[own$method != "all", ]
    plot(NULL, xlim = range(curves$k), ylim = range(own[[value]]), xlab = "features", ylab = ylab,
      main = set_label(set)
    )
    abline(h = own[[value]][own$method == "all"], col = "grey60", lty = 3)
    for (method in methods) {
      here <- curves[curves$method == method, ]
      lines(here$k, here[[value]], type = "o", pch = 20, cex = 0.7, col = colour_of(method),
        lwd = if (method == methods[length(methods)]) 2.5 else 1
      )
    }
  }
  plot.new()
  legend("center", c("all features", label(methods)), bty = "n", lwd = 2, cex = 1.1,
    col = c("grey60", colour_of(methods)), lty = c(3, rep(1, length(methods)))
  )
}

# ---- tables beside the published ones ---------------------------------------------------

read_curves <- function() utils::read.csv(results("clusters_tables.csv"))
published_of <- function(paper, measure) {
  table <- utils::read.csv(file.path("..", "..", "bench", "papers", "published.csv"))
  table[table$paper == paper & table$measure == measure, ]
}

# of every data set and method the size of the highest mean
best_sizes <- function(curves, measure) {
  mean <- curves[[paste0(tolower(measure), "_mean")]]
  best <- do.call(rbind, lapply(split(seq_along(mean), paste(curves$data, curves$method)), function(at) {
    top <- at[which.max(mean[at])]
    sd <- curves[[paste0(tolower(measure), "_sd")]][top]
    data.frame(curves[top, c("data", "method", "k", "setting", "tried", "count")], value = mean[top],
      error = sd / sqrt(curves$runs[top])
    )
  }))
  row.names(best) <- NULL
  best
}

# Of which methods and data sets not all settings were reached
reached <- function(curves, sets, methods) {
  once <- curves[!duplicated(paste(curves$data, curves$method)), ]
  some <- once[once$tried < once$count & once$data %in% sets & once$method %in% methods, ]
  if (nrow(some) == 0) return("all")
  by_method <- split(some, factor(some$method, unique(some$method)))
  told <- vapply(by_method, function(own) {
    sprintf("%s (of %d: %s)", label(own$method[1]), own$count[1],
      toString(sprintf("%s %d", set_label(own$data), own$tried))
    )
  }, "")
  paste0("all but those of ", paste(told, collapse = "; "))
}

beside_published <- function(curves, paper, measure) {
  ours <- best_sizes(curves, measure)
  published <- published_of(paper, measure)
  table <- merge(published[c("data", "method", "value", "sd", "k")], ours,
    by = c("data", "method"), suffixes = c("_published", "")
  )
  table$difference <- table$value - table$value_published
  first <- curves[curves$method == "first", ]
  at <- match(paste(table$data, table$k_published), paste(first$data, first$k))
  table$first <- first[[paste0(tolower(measure), "_mean")]][at]
  table
}

# data sets x methods: ours, the size in brackets, and the published value
wide_table <- function(table, sets, methods) {
  cells <- outer(sets, methods, Vectorize(function(set, method) {
    own <- table[table$data == set & table$method == method, ]
    if (nrow(own) == 0) return("")
    sprintf("%.1f \u00b1 %.1f (%d)<br>%.1f", own$value, own$error, own$k, own$value_published)
  }))
  dimnames(cells) <- list(NULL, label(methods))
  knitr::kable(cbind(data = set_label(sets), cells), escape = FALSE, align = "lrrrrrrrrrr")
}

# What the figures themselves say of a cell that is more than `far` points off; the rules in turn
reading_of <- function(row, table, curves, other, measure, far = 3) {
  near <- function(value) length(value) == 1 && !is.na(value) && abs(value - row$value_published) <= far
  elsewhere <- other$value[other$data == row$data & other$method == row$method]
  own <- function(method) {
    values <- curves[[paste0(tolower(measure), "_mean")]]
    max(values[curves$data == row$data & curves$method == method], -Inf)
  }
  all <- table$difference[table$data == row$data & table$method == "all"]
  if (near(row$first)) return("the first columns of the file give it")
  if (length(elsewhere) == 1 && abs(elsewhere - row$value) <= far) {
    return(sprintf("the other paper has %.1f for it", elsewhere))
  }
  if (length(all) == 1 && row$method != "all" && all * row$difference > 0 &&
        abs(all) > abs(row$difference) / 2) {
    return(sprintf("so are all features: %+.1f", all))
  }
  if (row$difference < 0 && own("random") >= row$value_published - far) {
    return(sprintf("random features reach it: %.1f", own("random")))
  }
  if (row$difference > 0 && own("random") > row$value_published) {
    return(sprintf("random features are above it: %.1f", own("random")))
  }
  "open"
}

# every cell more than three points off, with the first columns of the file at the published size
far_cells <- function(curves, paper, other) {
  do.call(rbind, lapply(c("ACC", "NMI"), function(measure) {
    table <- beside_published(curves, paper, measure)
    far <- table[abs(table$difference) > 3, ]
    rest <- published_of(other, measure)
    reading <- vapply(seq_len(nrow(far)), function(i) {
      reading_of(far[i, ], table, curves, rest, measure)
    }, "")
    far <- far[order(far$difference), ]
    data.frame(measure, far, reading = reading[order(table$difference[abs(table$difference) > 3])])
  }))
}

far_table <- function(far) {
  columns <- ifelse(is.na(far$first), "-", sprintf("%.1f", far$first))
  knitr::kable(data.frame(
    measure = far$measure, data = set_label(far$data), method = label(far$method),
    published = sprintf("%.1f (%s)", far$value_published, far$k_published),
    ours = sprintf("%.1f \u00b1 %.1f (%d)", far$value, far$error, far$k),
    "first columns" = columns, difference = sprintf("%+.1f", far$difference),
    "what the figures say" = far$reading, check.names = FALSE
  ), align = "lllrrrrl")
}

# ---- boxes and ranks --------------------------------------------------------------------

# Box plots of the runs at each method's best size, from their quantiles
box_panels <- function(curves, sets, methods, measures = c("ACC", "NMI")) {
  op <- par(mfrow = c(length(measures), length(sets)), mar = c(6.5, 3, 2, 0.5), mgp = c(1.8, 0.6, 0),
    las = 2
  )
  on.exit(par(op))
  for (measure in measures) {
    best <- best_sizes(curves, measure)
    for (set in sets) {
      own <- merge(best[best$data == set & best$method %in% methods, c("data", "method", "k")], curves)
      own <- own[match(methods, own$method), ]
      parts <- paste0(tolower(measure), "_", c("min", "q1", "median", "q3", "max"))
      bxp(list(stats = t(as.matrix(own[parts])), n = own$runs, names = label(methods)),
        main = sprintf("%s (%s)", set_label(set), measure), boxfill = colour_of(methods), cex.axis = 0.9
      )
    }
  }
}

# Mean ranks and the critical difference of Nemenyi at 5%
rank_methods <- function(curves, sets, methods, measure) {
  best <- best_sizes(curves, measure)
  best <- best[best$data %in% sets & best$method %in% methods, ]
  values <- tapply(best$value, list(best$data, best$method), mean)[, methods]
  ranks <- t(apply(values, 1, function(row) rank(-round(row, 2))))
  m <- length(methods)
  list(ranks = sort(colMeans(ranks)), p = friedman.test(values)$p.value,
    difference = qtukey(0.95, m, Inf) / sqrt(2) * sqrt(m * (m + 1) / (6 * nrow(values)))
  )
}

rank_plot <- function(test, main) {
  ranks <- rev(test$ranks)
  op <- par(mar = c(3.2, 8, 2, 1), mgp = c(1.8, 0.6, 0), las = 1)
  on.exit(par(op))
  plot(ranks, seq_along(ranks), xlim = range(ranks) + c(-0.5, 0.5) * test$difference, yaxt = "n",
    xlab = "mean rank, and half the critical difference to both sides", ylab = "", pch = 19,
    main = main
  )
  segments(ranks - test$difference / 2, seq_along(ranks), ranks + test$difference / 2, lwd = 2)
  axis(2, seq_along(ranks), label(names(ranks)), tick = FALSE)
}
