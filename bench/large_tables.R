# Methods on large data, every fit in a process of its own: seconds, memory, and what is refused.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/large_tables.R [SETTING=value ...]
#     METHOD=sogfs,slap   some methods only
#     SIZE=20000x30,200x10000   samples x features (these two)
#     DATA=tables         or "cells": sparse log(1 + count) of cells of 12 types, where 300 genes
#                         follow the types; SIZE=200000x5000 METHOD=alignment,bsufs,fspca,css
#     SECONDS=60          processor seconds beyond which a fit is given up
# Prints a table: processor seconds, MB beyond the data, marker genes found, and the error, if
# there is one.
source(file.path("bench", "common.R"))

settings <- read_settings(list(
  METHOD = "sogfs,slap,sf2sog,jelsr,rne,cspca,aw_spca,udfs,rufs,ndfs",
  SIZE = "20000x30,200x10000", DATA = "tables", SECONDS = "60", ONE = NULL
))

# gene by gene: the cells of each type in which it is seen, then how often
simulate_cells <- function(n, d, density = 0.05, types = 12L, planted = 300L) {
  set.seed(1)
  size <- stats::rgamma(types, 1.5)
  type <- sort(sample.int(types, n, TRUE, size))
  cells <- split(seq_len(n), factor(type, seq_len(types)))
  level <- exp(stats::rnorm(d, 0, 1.2))
  effect <- matrix(1, types, d)
  markers <- sample.int(d, min(planted, d))
  effect[, markers] <- exp(matrix(stats::rnorm(types * length(markers), 0, 1.5), types))
  found <- function(factor) mean(-expm1(-factor * level)) - density
  level <- level * stats::uniroot(found, c(1e-6, 10))$root
  depth <- exp(stats::rnorm(n, 0, 0.3))
  one <- function(j) {
    rate <- level[j] * effect[, j]
    rows <- lapply(seq_len(types), function(t) {
      cells[[t]][sample.int(length(cells[[t]]),
        stats::rbinom(1L, length(cells[[t]]), -expm1(-rate[t]))
      )]
    })
    i <- unlist(rows)
    counts <- 1 + stats::rpois(length(i), rep(rate, lengths(rows)) * depth[i] / 2)
    list(i = i - 1L, x = log1p(counts / depth[i]), order = order(i))
  }
  columns <- lapply(seq_len(d), function(j) {
    column <- one(j)
    list(i = column$i[column$order], x = column$x[column$order])
  })
  sizes <- vapply(columns, function(column) length(column$i), 0L)
  x <- methods::new("dgCMatrix",
    i = unlist(lapply(columns, `[[`, "i")), p = c(0L, cumsum(sizes)),
    x = unlist(lapply(columns, `[[`, "x")), Dim = c(as.integer(n), as.integer(d)),
    Dimnames = list(NULL, paste0("gene", seq_len(d)))
  )
  list(x = x, y = factor(type), markers = markers)
}

# in the process of one fit
run_one <- function(method, size) {
  size <- as.integer(strsplit(size, "x")[[1]])
  make <- if (settings$DATA == "cells") simulate_cells else dense_data
  set <- make(size[1], size[2])
  known <- rowsparse_methods()
  y <- if (known$supervised[known$method == method]) set$y
  start <- reset_peak_memory()
  setTimeLimit(cpu = as.numeric(settings$SECONDS) + sum(proc.time()[1:2]))
  set.seed(1)
  time <- system.time(fit <- try(suppressWarnings(
    rowsparse(set$x, y, k = if (is.null(set$markers)) 20 else 50, method = method)
  ), silent = TRUE))
  failed <- inherits(fit, "try-error")
  told <- if (failed) gsub("\n", " ", conditionMessage(attr(fit, "condition"))) else ""
  found <- if (failed || is.null(set$markers)) "-" else sum(fit$selected %in% set$markers)
  tell_result(decimals(time[["user.self"]] + time[["sys.self"]], 1),
    decimals(peak_memory() - start, 0), found, substr(told, 1, 200)
  )
}

if (!is.null(settings$ONE)) {
  do.call(run_one, as.list(listed(settings$ONE)))
  quit(save = "no")
}

machine_line()
runs <- expand.grid(method = listed(settings$METHOD), size = listed(settings$SIZE))
told <- rows_of(seq_len(nrow(runs)), function(at) {
  asked <- c(paste0("ONE=", runs$method[at], ",", runs$size[at]),
    paste0(c("SECONDS=", "DATA="), settings[c("SECONDS", "DATA")])
  )
  c(own_process("large_tables.R", asked), rep("", 4))[1:4]
})
colnames(told) <- c("s", "MB", "markers", "error")
markdown(cbind(runs, told))
