# BSUFS and DSCOFS without one penalty or the other, on their data: the settings of each case, the
# scores of the network of DSCOFS' Table 6, the page.

bsufs_cases <- c(
  bsufs_none = "I", bsufs_entries = "II", bsufs_rows = "III", bsufs_both = "IV"
)
ablations_of <- c(
  "lung_discrete", "GLIOMA", "USPS_1000", "UMIST", "warpPIE10P", "Isolet", "pie", "COIL20"
)

# Cases I to IV of BSUFS; DSCOFS with alpha = 1, where single loadings are free, and below
ablation_grids <- function(x, y, plan) {
  m <- length(unique(y))
  prepared <- rowsparse:::prepare_data(x, m = m)
  exponents <- c(0, 1 / 2, 2 / 3)
  penalised <- function(lambda1, lambda2, exponent) {
    grid <- expand.grid(lambda1 = lambda1, lambda2 = lambda2, pq = exponent)
    list(grid = grid, rank = function(s) {
      bsufs(prepared, m, s$lambda1, s$lambda2, s$pq, s$pq, normalize = FALSE)$ranking
    })
  }
  constrained <- function(start, ...) {
    list(grid = expand.grid(...), rank = function(s) {
      dscofs_ranking(prepared, max(100, m), m, s, start)
    })
  }
  shares <- seq(0.1, 0.9, 0.2)
  list(
    bsufs_none = penalised(0, 0, 1 / 2),
    bsufs_entries = penalised(0, powers, exponents),
    bsufs_rows = penalised(powers, 0, exponents),
    bsufs_both = penalised(powers, powers, exponents),
    dscofs_rows = constrained("random", alpha = 1, mu = powers),
    dscofs_double = constrained("random", alpha = shares, mu = powers),
    dscofs_rows_leading = constrained("leading", alpha = 1, mu = powers),
    dscofs_double_leading = constrained("leading", alpha = shares, mu = powers)
  )
}

dscofs_ranking <- function(data, k, m, setting, start, seed = if (start == "random") 1) {
  dscofs(data, k, m, setting$alpha, setting$mu, setting$mu, normalize = FALSE, start = start,
    seed = seed
  )$ranking
}

# the mean over the seeds of the network's best scores
compute_network <- function(name, plan) {
  file <- file.path(plan$store, name, "tsfs.rds")
  rows <- utils::read.csv(file.path("bench", "results", "neural.csv"))
  rows <- rows[rows$data == name & rows$method == "tsfs", ]
  if (nrow(rows) == 0L || file.exists(file)) return(invisible())
  z <- bench_data(name)
  began <- seconds_now()
  scores <- lapply(split(rows, rows$seed), function(own) {
    score_ranking("tsfs", own$feature[order(own$rank)], z$x + 0, z$y, plan$repeats)
  })
  cell <- list(tried = 1L, count = 1L, repeats = plan$repeats, rows = scores[[1L]])
  cell$rows$value <- rowMeans(vapply(scores, `[[`, numeric(4), "value"))
  cell$rows$k <- round(rowMeans(vapply(scores, `[[`, numeric(4), "k")))
  cell$seconds <- seconds_now() - began
  saveRDS(cell, file)
}

compute_ablations <- function(name, methods, plan) {
  if (is.null(methods)) {
    methods <- if (name == "warpPIE10P") character() else names(bsufs_cases)
    ends <- c("rows", "double", "rows_leading", "double_leading")
    if (name != "pie") methods <- c(methods, paste0("dscofs_", ends), "tsfs")
  }
  compute_cells(name, methods, plan)
  if ("tsfs" %in% methods) compute_network(name, plan)
}

# ---- the page --------------------------------------------------------------------

ablation_labels <- function(method) {
  named <- c(
    bsufs_none = "I: no penalty", bsufs_entries = "II: single loadings",
    bsufs_rows = "III: rows", bsufs_both = "IV: both", dscofs_rows = "rows",
    dscofs_double = "rows and loadings", dscofs_rows_leading = "rows",
    dscofs_double_leading = "rows and loadings", tsfs = "TSFS with t-SNE"
  )
  unname(named[method])
}

# what one case adds to another: published, and ours by both algorithms
write_gains <- function(table, steps) {
  value <- function(set, method, column) {
    table[[column]][match(paste(set, method), paste(table$data, table$method))]
  }
  sets <- intersect(ablations_of, table$data)
  columns <- c("value", "Lloyd value", "Hartigan-Wong value")
  rows <- lapply(steps, function(step) {
    gains <- vapply(columns, function(column) {
      value(sets, step[2], column) - value(sets, step[1], column)
    }, numeric(length(sets)))
    gains <- matrix(gains, length(sets))
    gains <- rbind(gains, colMeans(gains))
    data.frame(
      data = c(sets, "mean"), step = paste(ablation_labels(step), collapse = " -> "),
      published = signed(gains[, 1]), "ours, Lloyd" = signed(gains[, 2]),
      "ours, Hartigan-Wong" = signed(gains[, 3]), check.names = FALSE
    )
  })
  markdown(do.call(rbind, rows))
}

ranking_of_cell <- function(cells, name, method) {
  cells[[file.path(name, paste0(method, ".rds"))]]$ranking
}

shared_percent <- function(a, b, k) 100 * length(intersect(a[seq_len(k)], b[seq_len(k)])) / k

# Table VI: pie at k = 80, and what the cases share with Case IV
write_faces <- function(cells, published, plan) {
  rankings <- lapply(names(bsufs_cases), ranking_of_cell, cells = cells, name = "pie")
  if (any(vapply(rankings, is.null, NA))) return(invisible())
  z <- bench_data("pie")
  scores <- do.call(rbind, lapply(rankings, function(ranking) {
    set.seed(1)
    evaluate_features(ranking, z$x, z$y, 80, plan$repeats, algorithm = "Lloyd")
  }))
  # the table repeats the figures of Tables IV and V
  told <- published[published$data == "pie", ]
  told <- lapply(split(told, told$measure), function(own) {
    own$value[match(names(bsufs_cases), own$method)]
  })
  acc <- 100 * scores$acc_mean
  nmi <- 100 * scores$nmi_mean
  cat("\n### BSUFS Table VI: pie, 80 features\n")
  markdown(data.frame(
    case = ablation_labels(names(bsufs_cases)), "ACC published" = decimals(told$ACC, 1),
    ours = decimals(acc, 1), difference = signed(acc - told$ACC),
    "NMI published" = decimals(told$NMI, 1), "ours " = decimals(nmi, 1),
    "difference " = signed(nmi - told$NMI),
    "of 80, shared with IV, %" = decimals(
      vapply(rankings, shared_percent, 0, b = rankings[[4]], k = 80), 0
    ), check.names = FALSE
  ))
  draw_faces(rankings, z$x, file.path("bench", "results", "paper_ablations_pie.png"))
  cat("\n![Selected pixels of four faces, Cases I to IV](paper_ablations_pie.png)\n")
}

# the 80 selected pixels of each case on four samples
draw_faces <- function(rankings, x, file) {
  grDevices::png(file, 1152, 1152, res = 192)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(4, 4), mar = c(0.3, 1.6, 0.3, 0.3))
  set.seed(1)
  samples <- sort(sample(nrow(x), 4))
  for (case in seq_along(rankings)) {
    chosen <- rankings[[case]][1:80] - 1
    for (sample in samples) {
      face <- matrix(x[sample, ], 32)
      graphics::image(t(face[32:1, ]), col = grDevices::gray(0:255 / 255), axes = FALSE)
      across <- chosen %/% 32 / 31
      down <- chosen %% 32 / 31
      graphics::points(across, 1 - down, pch = 15, cex = 0.5, col = "orange")
      if (sample == samples[1]) graphics::mtext(bsufs_cases[case], 2, 0.3, las = 1, cex = 0.7)
    }
  }
}

# Table 4's feature similarity: of 100 features, those of the double sparsity that rows alone select
write_similarity <- function(cells, published) {
  own <- published[published$measure == "FSR" & published$paper == "DSCOFS Table 4", ]
  sets <- intersect(ablations_of, own$data)
  sets <- sets[vapply(sets, function(set) {
    !is.null(ranking_of_cell(cells, set, "dscofs_double_leading"))
  }, NA)]
  rows <- lapply(sets, function(set) {
    shared <- function(end) {
      shared_percent(
        ranking_of_cell(cells, set, paste0("dscofs_rows", end)),
        ranking_of_cell(cells, set, paste0("dscofs_double", end)), 100
      )
    }
    value <- own$value[own$data == set]
    data.frame(
      data = set, published = decimals(value, 0), "ours, random" = decimals(shared(""), 0),
      difference = sprintf("%+.0f", shared("") - value),
      "ours, leading" = decimals(shared("_leading"), 0),
      "difference " = sprintf("%+.0f", shared("_leading") - value),
      "rows alone, two random starts" = decimals(similarity_of_starts(cells, set), 0),
      check.names = FALSE
    )
  })
  cat("\n### DSCOFS Table 4, FSR\n")
  if (length(rows) > 0L) markdown(do.call(rbind, rows))
}

# rows alone at its best setting, from the random start of the seed 1 and of the seed 2
similarity_of_starts <- function(cells, set) {
  z <- bench_data(set)
  m <- length(unique(z$y))
  cell <- cells[[file.path(set, "dscofs_rows.rds")]]
  data <- rowsparse:::prepare_data(z$x + 0, m = m)
  other <- suppressWarnings(dscofs_ranking(data, max(100, m), m, cell$setting, "random", 2))
  shared_percent(cell$ranking, other, 100)
}

# Table 5: mean ranks by ACC, of the published table and of the cells of paper_tables.md
friedman_row <- function(values, what) {
  ranks <- t(apply(-values, 1L, rank))
  list(
    ranks = colMeans(ranks),
    text = sprintf("%s: %d data sets, p = %.2g.", what, nrow(values),
      stats::friedman.test(values)$p.value
    )
  )
}

cells_of_page <- function() {
  lines <- readLines(file.path("bench", "results", "paper_tables.md"))
  from <- which(lines == "### DSCOFS, ACC")
  to <- which(lines == "### DSCOFS, NMI")
  rows <- strsplit(grep("^[|] [A-Za-z]", lines[from:to], value = TRUE)[-1L], " *[|] *")
  data.frame(
    data = vapply(rows, `[`, "", 2L), method = vapply(rows, `[`, "", 3L),
    value = as.numeric(sub(" .*", "", vapply(rows, `[`, "", 5L)))
  )
}

write_friedman <- function() {
  printed <- c(
    lapscore = 6, udfs = 4.75, sogfs = 5.75, rne = 6.125, fspca = 5.5, spcafs = 3.75,
    spca_psd = 3.125, dscofs = 1
  )
  wide <- function(rows) {
    values <- tapply(rows$value, list(rows$data, rows$method), mean)
    values <- values[, names(printed), drop = FALSE]
    values[stats::complete.cases(values), , drop = FALSE]
  }
  published <- utils::read.csv(file.path("bench", "paper_tables", "published.csv"))
  published <- wide(published[published$paper == "DSCOFS" & published$measure == "ACC", ])
  ours <- wide(cells_of_page())
  same <- friedman_row(published[rownames(ours), ], "published, the data sets of ours")
  tests <- list(friedman_row(published, "published Table 2"), same,
    friedman_row(ours, paste0("ours (", toString(rownames(ours)), ")"))
  )
  cat("\n### DSCOFS Table 5: mean ranks by ACC, Friedman's test\n")
  markdown(data.frame(
    method = names(printed), published = decimals(printed, 3),
    "from the published Table 2" = decimals(tests[[1]]$ranks, 3),
    "the same, data sets of ours" = decimals(tests[[2]]$ranks, 3),
    "ours, Lloyd" = decimals(tests[[3]]$ranks, 3),
    difference = sprintf("%+.3f", tests[[3]]$ranks - printed), check.names = FALSE
  ))
  cat("\nThe paper: p = 0.0001.", vapply(tests, `[[`, "", "text"), "\n")
}

# what one case adds to another, in the tables that ask for it
gain_steps <- list(
  "BSUFS Table IV" = list(
    c("bsufs_none", "bsufs_entries"), c("bsufs_none", "bsufs_rows"), c("bsufs_rows", "bsufs_both")
  ),
  "DSCOFS Table 4" = list(c("dscofs_rows", "dscofs_double")),
  "DSCOFS Table 4 from the leading eigenvectors" =
    list(c("dscofs_rows_leading", "dscofs_double_leading"))
)

write_ablations <- function(plan) {
  cells <- read_cells(plan$store)
  published <- utils::read.csv(file.path("bench", "paper_tables", "published_ablations.csv"))
  table <- with_published(our_values(cells), "published_ablations.csv")
  text <- function(name) cat(readLines(file.path("bench", "paper_tables", name)), sep = "\n")
  text("ablations_head.md")
  cat("\n")
  machine_line()
  cat(sprintf("%.0f processor seconds in all; %s runs of k-means a set.\n",
    sum(vapply(cells, `[[`, 0, "seconds")), toString(unique(vapply(cells, `[[`, 0L, "repeats")))
  ))
  for (paper in unique(published$paper)) {
    if (paper == "DSCOFS Table 6") write_friedman()
    for (measure in c("ACC", "NMI")) one_table(table, cells, paper, measure, ablation_labels)
    own <- table[table$paper == paper & table$measure == "ACC", ]
    if (paper %in% names(gain_steps) && nrow(own) > 0L) {
      cat(sprintf("\n### %s: what is gained in ACC\n", paper))
      write_gains(own, gain_steps[[paper]])
    }
    if (paper == "BSUFS Table V") write_faces(cells, published, plan)
    if (paper == "DSCOFS Table 4") write_similarity(cells, published)
  }
  cat("\n")
  text("ablations_notes.md")
}
