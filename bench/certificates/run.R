# Many problems, what was claimed of each, and what of that is wrong.

# A verdict: what is wrong (nothing: character()), that nothing was claimed, the nodes that a
# search branched on, and all it takes to see the problem again.
verdict <- function(wrong = character(), none = FALSE, form = NA_character_, nodes = NA_real_,
                    ...) {
  list(wrong = wrong, none = isTRUE(none), form = form, nodes = nodes, problem = list(...))
}

flag <- function(...) {
  states <- list(...)
  bad <- vapply(states, function(state) !identical(state, FALSE), NA)
  names(states)[bad]
}

# A refusal of the package claims nothing; any other error is one more thing that is wrong.
one_trial <- function(trial, family) {
  tryCatch(quiet(trial(family)),
    rowsparse_error = function(e) {
      verdict(none = TRUE, form = "refused", message = conditionMessage(e))
    },
    error = function(e) {
      verdict("error", form = "error", message = conditionMessage(e), call = conditionCall(e))
    }
  )
}

# A seed of its own for each problem, so that any split of the work gives the same.
seed_of <- function(seed, claim, family, number) {
  letters <- utf8ToInt(paste(claim, family))
  hash <- 0
  for (letter in letters) hash <- (hash * 131 + letter) %% 1000003
  as.integer((seed * 7919 + hash * 1009 + number * 104729) %% 2147483647)
}

# All problems of a family: their verdicts in a data frame; those that are wrong are kept
# as files.
run_family <- function(task, claim, seed, folder) {
  rows_of(task$numbers, function(number) {
    own <- seed_of(seed, task$claim, task$family, number)
    set.seed(own)
    found <- one_trial(claim$trial, task$family)
    if (length(found$wrong) > 0) {
      name <- sprintf("%s-%s-%d.rds", task$claim, gsub("[^a-z0-9]+", "_", task$family), number)
      saveRDS(c(found, claim = task$claim, family = task$family, seed = own, number = number),
        file.path(folder, name)
      )
    }
    data.frame(
      claim = task$claim, family = task$family, form = found$form, none = found$none,
      nodes = found$nodes, wrong = paste(found$wrong, collapse = " ")
    )
  })
}

# `jobs` processes share the tasks
run_claims <- function(claims, problems, seed, jobs, folder) {
  tasks <- unlist(lapply(names(claims), function(name) {
    count <- ceiling(problems * claims[[name]]$share)
    lapply(claims[[name]]$families, function(family) {
      list(claim = name, family = family, numbers = seq_len(count))
    })
  }), recursive = FALSE)
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  work <- function(task) {
    time <- system.time(gcFirst = FALSE, {
      rows <- run_family(task, claims[[task$claim]], seed, folder)
    })
    cat(sprintf("%-14s %-20s %5d tried %4d wrong %6.1f s\n", task$claim, task$family,
      nrow(rows), sum(nzchar(rows$wrong)), sum(time[1:2])
    ))
    rows
  }
  done <- if (jobs > 1) {
    parallel::mclapply(tasks, work, mc.cores = jobs)
  } else {
    lapply(tasks, work)
  }
  broken <- !vapply(done, is.data.frame, NA)
  if (any(broken)) stop(sprintf("%d tasks did not end: %s", sum(broken), format(done[broken][1])))
  do.call(rbind, done)
}

# ---- tables ---------------------------------------------------------------------------

count_by <- function(rows, by) {
  groups <- factor(rows[[by]], unique(rows[[by]]))
  data.frame(
    name = levels(groups), tried = as.vector(table(groups)),
    wrong = as.vector(tapply(nzchar(rows$wrong), groups, sum)),
    none = as.vector(tapply(rows$none, groups, sum))
  )
}

table_lines <- function(counts, title) {
  c("", sprintf("| %s | tried | wrong | no proof given |", title), "|---|---:|---:|---:|",
    sprintf("| %s | %d | %d | %d |", counts$name, counts$tried, counts$wrong, counts$none)
  )
}

claim_lines <- function(rows, claim) {
  lines <- c("", paste0("### ", claim$text), table_lines(count_by(rows, "family"), "family"))
  forms <- count_by(rows[!is.na(rows$form), , drop = FALSE], "form")
  if (nrow(forms) > 1) lines <- c(lines, table_lines(forms, "the data come as"))
  if (any(!is.na(rows$nodes))) {
    lines <- c(lines, "", sprintf("%d nodes were branched on, in %d of the problems.",
      as.integer(sum(rows$nodes, na.rm = TRUE)), sum(rows$nodes > 0, na.rm = TRUE)
    ))
  }
  wrong <- table(unlist(strsplit(rows$wrong, " ")))
  if (length(wrong) > 0) {
    lines <- c(lines, "", paste("Wrong:", paste(names(wrong), wrong, collapse = ", ")))
  }
  lines
}
