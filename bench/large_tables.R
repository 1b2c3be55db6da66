# Methods on large data, every fit in a process of its own: seconds, memory, and what is refused.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/large_tables.R [SETTING=value ...]
#     METHOD=sogfs,slap   some methods only
#     SIZE=20000x30,200x10000   samples x features (these two)
#     DATA=tables         or "cells": sparse log(1 + count) of cells of 12 types with 15 marker
#                         genes each; SIZE=200000x5000 METHOD=alignment,bsufs,fspca,css
#     SECONDS=60          processor seconds beyond which a fit is given up
# Prints a table: processor seconds, MB beyond the data, marker genes found, and the error, if
# there is one.
source(file.path("bench", "common.R"))
source(file.path("bench", "atlas", "simulate.R"))

settings <- read_settings(list(
  METHOD = "sogfs,slap,sf2sog,jelsr,rne,cspca,aw_spca,udfs,rufs,ndfs",
  SIZE = "20000x30,200x10000", DATA = "tables", SECONDS = "60", ONE = NULL
))

simulate_cells <- function(n, d) {
  set.seed(1)
  set <- atlas_cells(n, d, types = 12L)
  set$x@x <- log1p(set$x@x)
  set
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
runs <- expand.grid(method = listed(settings$METHOD), size = listed(settings$SIZE),
  stringsAsFactors = FALSE
)
told <- rows_of(seq_len(nrow(runs)), function(at) {
  asked <- c(paste0("ONE=", runs$method[at], ",", runs$size[at]),
    paste0(c("SECONDS=", "DATA="), settings[c("SECONDS", "DATA")])
  )
  c(own_process("large_tables.R", asked), rep("", 4))[1:4]
})
colnames(told) <- c("s", "MB", "markers", "error")
markdown(cbind(runs, told))
