# Methods on graphs and self-representations on tall and wide tables: in a minute, or refused?
#   OPENBLAS_NUM_THREADS=1 Rscript bench/large_tables.R [SETTING=value ...]
#     METHOD=sogfs,slap   some methods only
#     SIZE=20000x30,200x10000   samples x features (these two)
#     SECONDS=60          processor seconds beyond which a fit is given up
# A process of its own for every fit, one after the other. Prints a table: processor seconds
# and the error, if there is one.
source(file.path("bench", "common.R"))

settings <- read_settings(list(
  METHOD = "sogfs,slap,sf2sog,jelsr,rne,cspca,aw_spca,udfs,rufs,ndfs",
  SIZE = "20000x30,200x10000", SECONDS = "60", ONE = NULL
))

# in the process of one fit: a line of its own
run_one <- function(method, size) {
  size <- as.integer(strsplit(size, "x")[[1]])
  set <- dense_data(size[1], size[2])
  labels <- rowsparse_methods()$supervised[rowsparse_methods()$method == method]
  y <- if (labels) set$y
  setTimeLimit(cpu = as.numeric(settings$SECONDS) + sum(proc.time()[1:2]))
  set.seed(1)
  time <- system.time(fit <- try(suppressWarnings(
    rowsparse(set$x, y, k = 20, method = method)
  ), silent = TRUE))
  failed <- inherits(fit, "try-error")
  told <- if (failed) gsub("\n", " ", conditionMessage(attr(fit, "condition"))) else ""
  cat("RESULT", decimals(time[["user.self"]] + time[["sys.self"]], 1),
    if (failed) "-" else fit$iterations, substr(told, 1, 200), sep = "\t"
  )
}

if (!is.null(settings$ONE)) {
  do.call(run_one, as.list(listed(settings$ONE)))
  quit(save = "no")
}

machine_line()
rows <- NULL
for (size in listed(settings$SIZE)) {
  for (method in listed(settings$METHOD)) {
    out <- system2(file.path(R.home("bin"), "Rscript"), stdout = TRUE, stderr = FALSE,
      c(
        file.path("bench", "large_tables.R"), paste0("ONE=", method, ",", size),
        paste0("SECONDS=", settings$SECONDS)
      )
    )
    line <- grep("^RESULT", out, value = TRUE)
    parts <- if (length(line)) strsplit(line, "\t")[[1]][-1] else rep("", 3)
    parts <- c(parts, rep("", 3))[1:3]
    rows <- rbind(rows, c(size, method, parts))
    cat(rows[nrow(rows), ], "\n", file = stderr())
  }
}
colnames(rows) <- c("size", "method", "s", "iterations", "error")
markdown(rows)
