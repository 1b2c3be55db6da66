# The work: every method on every data set, kept in the store.

# rankings by data set and method, each seed of a method with several as METHOD_seedN: list of
# list(columns, seconds); NULL without the file
read_rankings <- function(file) {
  if (!file.exists(file)) return(NULL)
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
  if (plan$again) unlink(file.path(plan$store, name, paste0(methods, ".rds")))
  settings <- list(
    k = plan$sizes[plan$sizes <= ncol(set$x)], repeats = plan$repeats, random = plan$random,
    refit = plan$refit, seconds = plan$seconds, store = plan$store
  )
  neural <- lapply(names(rankings), function(method) {
    list(name = paste0("neural_", method), columns = rankings[[method]]$columns)
  })
  # one method at a time, so that the log tells where the work is
  for (method in c(as.list(methods), "random", neural)) {
    result <- score_method(name, set, method, settings)
    cat(sprintf("%s  %-14s %-14s %7.2f s  ACC %s  %s\n", format(Sys.time(), "%H:%M"), name,
      result$method[1], result$elapsed[1], format(mean(result$acc_mean), digits = 3),
      substr(result$note[1], 1, 60)
    ))
  }
  cat(sprintf("%s done in %.0f s\n", name, proc.time()[["elapsed"]] - began))
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
  if (is.null(table)) stop("nothing in the store ", plan$store)
  known <- c(names(usefulness_kinds), setdiff(table$data, names(usefulness_kinds)))
  table <- table[order(match(table$data, known), table$method, table$k), ]
  rownames(table) <- NULL
  table
}
