# The page: published, ours by both algorithms, differences; and every cell that is far off.

far <- 5

read_cells <- function(store) {
  files <- list.files(store, "[.]rds$", recursive = TRUE)
  if (length(files) == 0L) stop("nothing in the store ", store)
  lapply(stats::setNames(nm = files), function(file) readRDS(file.path(store, file)))
}

# one row per data set, method and measure, a column per algorithm
our_values <- function(cells) {
  table <- rows_of(names(cells), function(file) {
    rows <- cells[[file]]$rows
    if (is.null(rows)) return(NULL)
    data.frame(data = dirname(file), method = sub("[.]rds$", "", basename(file)), rows)
  })
  wide <- function(algorithm) {
    own <- table[table$algorithm == algorithm, c("data", "method", "measure", "value", "k")]
    names(own)[4:5] <- paste(algorithm, c("value", "k"))
    own
  }
  merge(wide("Lloyd"), wide("Hartigan-Wong"))
}

with_published <- function(ours) {
  published <- utils::read.csv(file.path("bench", "paper_tables", "published.csv"))
  table <- merge(published, ours, by = c("measure", "data", "method"))
  other <- merge(table, published, by = c("measure", "data", "method"), all.x = TRUE)
  other <- other[other$paper.x != other$paper.y, ]
  key <- function(t, paper) paste(t[[paper]], t$measure, t$data, t$method)
  table$other <- other$value.y[match(key(table, "paper"), key(other, "paper.x"))]
  table$lloyd <- table[["Lloyd value"]] - table$value
  table$wong <- table[["Hartigan-Wong value"]] - table$value
  table
}

setting_text <- function(cell) {
  if (is.null(cell$setting) || ncol(cell$setting) == 0L) return("")
  values <- vapply(cell$setting, format, "", digits = 3)
  text <- paste(names(cell$setting), values, collapse = ", ")
  if (cell$tried < cell$count) {
    text <- sprintf("%s (%d of %d settings)", text, cell$tried, cell$count)
  }
  text
}

signed <- function(value) ifelse(is.na(value), "-", sprintf("%+.1f", value))

one_table <- function(table, cells, paper, measure) {
  own <- table[table$paper == paper & table$measure == measure, ]
  if (nrow(own) == 0L) return(invisible())
  cat(sprintf("\n### %s, %s\n", paper, measure))
  own <- own[order(match(own$data, unique(dirname(names(cells)))), own$method), ]
  markdown(data.frame(
    data = own$data, method = own$method, published = decimals(own$value, 1),
    "ours, Lloyd (k)" = sprintf("%.1f (%d)", own[["Lloyd value"]], as.integer(own[["Lloyd k"]])),
    difference = signed(own$lloyd),
    "ours, Hartigan-Wong (k)" = sprintf("%.1f (%d)", own[["Hartigan-Wong value"]],
      as.integer(own[["Hartigan-Wong k"]])
    ),
    "difference " = signed(own$wong),
    setting = vapply(file.path(own$data, paste0(own$method, ".rds")), function(file) {
      setting_text(cells[[file]])
    }, ""),
    check.names = FALSE
  ))
}

# On Isolet and COIL20 the figures of DSCOFS under these names stand in BSUFS under the others, and
# warpPIE10P is in DSCOFS only. On the other data sets the papers show no such exchange.
exchanged <- c(udfs = "sogfs", sogfs = "rne", rne = "udfs")
exchanged_on <- c("Isolet", "COIL20", "warpPIE10P")

# What there is to say of a cell whose score by Lloyd's k-means is far from the published one. The
# rules are tried in this order, and only what the figures themselves show counts.
reason <- function(row, table, ours) {
  own <- function(method) {
    found <- ours$method == method & ours$data == row$data & ours$measure == row$measure
    ours[["Lloyd value"]][found]
  }
  near <- function(value) length(value) == 1L && abs(row$value - value) <= far
  if (!is.na(row$other) && abs(row[["Lloyd value"]] - row$other) <= far) {
    return(sprintf("the other paper has %.1f for it", row$other))
  }
  if (!is.na(row$other) && abs(row$value - row$other) > far) {
    return(sprintf("the papers disagree: %.1f in the other", row$other))
  }
  if (abs(row$wong) <= far) return("not with Hartigan and Wong's k-means")
  started <- own(paste0(row$method, "_random"))
  if (near(started)) return(sprintf("the start: %.1f from a random one", started))
  if (row$paper == "DSCOFS" && row$method %in% names(exchanged) &&
    row$data %in% exchanged_on) {
    other <- exchanged[[row$method]]
    if (near(own(other))) {
      return(sprintf("names exchanged between the papers? `%s()` has %.1f", other, own(other)))
    }
  }
  general_reason(row, own, table)
}

# what does not depend on the method
general_reason <- function(row, own, table) {
  whole <- table$lloyd[table$paper == row$paper & table$measure == row$measure &
    table$data == row$data & table$method == "all"]
  if (length(whole) == 1L && sign(whole) == sign(row$lloyd) && abs(whole) > abs(row$lloyd) / 2) {
    return(sprintf("so are all features, without any selection: %+.1f", whole))
  }
  random <- own("random")
  if (length(random) == 1L && row$lloyd > 0 && random > row$value) {
    return(sprintf("published is below random features here (%.1f)", random))
  }
  if (length(random) == 1L && row$lloyd < 0 && random >= row$value - 2) {
    return(sprintf("not explained, but random features reach it (%.1f)", random))
  }
  "not explained"
}

list_far <- function(table, ours) {
  off <- table[abs(table$lloyd) > far, ]
  off <- off[order(off$paper, off$measure, off$lloyd), ]
  cat(sprintf("\n## Every cell more than %d points off (Lloyd)\n\n", far))
  cat(sprintf("%d of %d cells: %d below the published figure, %d above.\n", nrow(off), nrow(table),
    sum(off$lloyd < 0), sum(off$lloyd > 0)
  ))
  if (nrow(off) == 0L) return(invisible())
  off$why <- vapply(seq_len(nrow(off)), function(i) reason(off[i, ], table, ours), "")
  markdown(data.frame(
    paper = off$paper, measure = off$measure, data = off$data, method = off$method,
    published = decimals(off$value, 1), ours = decimals(off[["Lloyd value"]], 1),
    difference = signed(off$lloyd), reason = off$why
  ))
  cat(sprintf("\nNot explained: %d, of which random features reach %d.\n",
    sum(startsWith(off$why, "not explained")), sum(startsWith(off$why, "not explained, but"))
  ))
}

unpublished <- function(table, ours) {
  known <- paste(table$data, table$method)
  rest <- ours[!paste(ours$data, ours$method) %in% known, ]
  if (nrow(rest) == 0L) return(invisible())
  cat("\n## Rows without a published figure\n")
  rest <- rest[order(rest$measure, rest$data, rest$method), ]
  markdown(data.frame(
    data = rest$data, method = rest$method, measure = rest$measure,
    Lloyd = decimals(rest[["Lloyd value"]], 1),
    "Hartigan-Wong" = decimals(rest[["Hartigan-Wong value"]], 1), check.names = FALSE
  ))
}

cells_run <- function(cells) {
  done <- !vapply(cells, function(cell) is.null(cell$rows), NA)
  cat("\n## Which cells were run\n\n")
  sets <- unique(dirname(names(cells)))
  for (set in sets) {
    own <- cells[dirname(names(cells)) == set]
    label <- sub("[.]rds$", "", basename(names(own)))
    cat(sprintf("* %s: %s\n", set, toString(label[done[names(own)]])))
    for (at in which(!done[names(own)])) {
      cat(sprintf("  * %s without result: %s\n", label[at], gsub("\n", " ", own[[at]]$note)))
    }
  }
  cat(sprintf("\n%.0f processor seconds in all; %s runs of k-means a set.\n",
    sum(vapply(cells, `[[`, 0, "seconds")),
    toString(unique(vapply(cells, `[[`, 0L, "repeats")))
  ))
  published <- utils::read.csv(file.path("bench", "paper_tables", "published.csv"))
  cat(sprintf("Published rows without cells: %s. MSTAR is not at hand; the others take `DATA=`.\n",
    toString(setdiff(unique(published$data), sets))
  ))
}

write_tables <- function(plan) {
  cells <- read_cells(plan$store)
  ours <- our_values(cells)
  table <- with_published(ours)
  cat(readLines(file.path("bench", "paper_tables", "head.md")), sep = "\n")
  cat("\n")
  machine_line()
  cells_run(cells)
  list_far(table, ours)
  cat("\n## The tables\n")
  for (paper in c("BSUFS", "DSCOFS")) {
    for (measure in c("ACC", "NMI")) one_table(table, cells, paper, measure)
  }
  unpublished(table, ours)
  cat("\n")
  cat(readLines(file.path("bench", "paper_tables", "notes.md")), sep = "\n")
}
