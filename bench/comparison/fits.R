# The work: one call of compare_methods() per data set, kept in the store.

# rankings by data set and method, each seed of a method with several as METHOD_seedN: list of
# list(columns, seconds); NULL without the file
read_rankings <- function(file) {
  if (!file.exists(file)) {
    return(NULL)
  }
  table <- utils::read.csv(file)
  if (!is.null(table$seed)) {
    several <- tapply(table$seed, table$method, function(seed) length(unique(seed)) > 1L)
    split <- several[table$method]
    table$method[split] <- sprintf("%s_seed%d", table$method[split], table$seed[split])
  }
  lapply(split(table, table$data), function(set) {
    lapply(split(set, set$method), function(own) {
      own <- own[order(own$rank), ]
      list(columns = own$feature, seconds = own$seconds[1])
    })
  })
}

# the smallest first, so that most is there soon
by_size <- function(sets) {
  cells <- vapply(sets, function(name) prod(as.double(dim(bench_data(name)$x))), 0)
  sets[order(cells)]
}

compare_on <- function(name, methods, rankings, plan) {
  set <- usefulness_data(name)
  began <- proc.time()[["elapsed"]]
  if (plan$again) forget(name, methods, plan$store)
  run <- function(methods) {
    told <- NULL
    # the same draws in every process
    fixed_seed(1)
    result <- withCallingHandlers(
      compare_methods(stats::setNames(list(set[c("x", "y")]), name),
        methods = methods, k = plan$sizes, repeats = plan$repeats, random = plan$random,
        store = plan$store, time_limit = plan$seconds, refit = plan$refit
      ),
      rowsparse_warning_failed = function(w) {
        told <<- conditionMessage(w)
        tryInvokeRestart("muffleWarning")
      }
    )
    if (!is.null(told)) cat(sprintf("  %s\n", told))
    result
  }
  # one method at a time, so that the log tells where the work is
  for (method in methods) {
    result <- run(method)
    result <- result[result$method == method, ]
    cat(sprintf("%s  %-14s %-14s %7.2f s  ACC %s  %s\n", format(Sys.time(), "%H:%M"), name, method,
      result$elapsed[1], format(mean(result$acc_mean), digits = 3), substr(result$note[1], 1, 60)
    ))
  }
  for (method in names(rankings)) {
    run(stats::setNames(list(rankings[[method]]$columns), paste0("neural_", method)))
  }
  cat(sprintf("%s done in %.0f s\n", name, proc.time()[["elapsed"]] - began))
}

forget <- function(name, methods, store) {
  unlink(file.path(store, name, paste0(methods, ".rds")))
}

# one row per data set, method and size, from what is in the store for this plan
stored_rows <- function(plan, neural) {
  files <- list.files(plan$store, "[.]rds$", recursive = TRUE)
  files <- files[dirname(files) != "."]
  rows <- lapply(files, function(file) {
    kept <- readRDS(file.path(plan$store, file))
    data <- dirname(file)
    own <- kept$key$package == format(utils::packageVersion("rowsparse")) &&
      all(kept$key$k %in% plan$sizes) && kept$key$repeats == plan$repeats &&
      kept$key$refit == plan$refit
    if (!own) {
      message("not of these settings, left out: ", file)
      return(NULL)
    }
    method <- kept$rows$method[1]
    ranking <- neural[[data]][[sub("^neural_", "", method)]]
    elapsed <- if (startsWith(method, "neural_")) ranking$seconds else kept$elapsed
    if (is.null(elapsed)) elapsed <- NA_real_
    data.frame(data = data, kept$rows, elapsed = elapsed, note = kept$note)
  })
  table <- do.call(rbind, rows)
  if (plan$former) table <- with_former_rows(table)
  if (is.null(table)) stop("nothing in the store ", plan$store)
  known <- c(names(usefulness_kinds), setdiff(table$data, names(usefulness_kinds)))
  table <- table[order(match(table$data, known), table$method, table$k), ]
  rownames(table) <- NULL
  structure(table, class = c("method_comparison", "feature_evaluation", "data.frame"))
}

# and the rows written before, of data sets and methods that are not in `table`
with_former_rows <- function(table) {
  former <- utils::read.csv(file.path("bench", "results", "comparison.csv"))
  former$note[is.na(former$note)] <- ""
  key <- function(rows) paste(rows$data, rows$method)
  rbind(table, former[!key(former) %in% key(table), names(table)])
}
