# Without labels: how well k-means on the selected columns finds the classes, and in
# single cells also whether neighbours are of one class.

# All measures of one set of columns: a named vector. k-means and neighbours see the
# columns as they are; in single cells (`..._pc`) also their leading components.
cluster_measures <- function(task, columns) {
  x <- dense_part(task$x, columns)
  views <- list(x)
  if (task$kind == "cells") views$pc <- leading_components(x, component_count)
  found <- lapply(views, function(view) {
    c(mean_agreement(view, task), if (task$kind == "cells") c(purity = purity(view, task$y)))
  })
  names(found[[1]]) <- sub("^[.]", "", names(found[[1]]))
  if (length(found) > 1) names(found[[2]]) <- paste0(names(found[[2]]), "_pc")
  c(found[[1]], if (length(found) > 1) found[[2]])
}

# ACC and NMI, averaged over the starts
mean_agreement <- function(x, task) {
  classes <- max(task$y)
  scores <- vapply(task$starts, function(order) {
    cluster_scores(task$y, kmeans_from(x, order, classes))
  }, numeric(2))
  rowMeans(scores)
}

# scores of the samples on the leading principal components
leading_components <- function(x, count) unname(stats::prcomp(x, rank. = min(count, dim(x)))$x)

# mean share of a sample's nearest others that are of its class
purity <- function(x, y, count = neighbour_count) mean(neighbour_shares(x, y, count))

# this share for each sample; `count` may be a number for each. Samples as near as the last of
# the nearest share the places that are left.
neighbour_shares <- function(x, y, count = neighbour_count) {
  count <- rep_len(count, length(y))
  square <- rowSums(x^2)
  distance <- pmax(outer(square, square, "+") - 2 * tcrossprod(x), 0)
  diag(distance) <- Inf
  vapply(seq_along(y), function(i) {
    d <- distance[, i]
    last <- sort(d, partial = count[i])[count[i]]
    slack <- 1e-9 * (square[i] + last)
    nearer <- d < last - slack
    tied <- !nearer & d <= last + slack
    (sum(y[nearer] == y[i]) + (count[i] - sum(nearer)) * mean(y[tied] == y[i])) / count[i]
  }, 0)
}

cluster_task <- function(name) {
  task <- usefulness_data(name)
  task$starts <- start_orders(task)
  task
}

random_file <- function(name, k) store_file("clusters", name, "random", sprintf("k%d", k))
fit_file <- function(name, label, k) store_file("clusters", name, label, sprintf("k%d", k))

# matrix of the measures, one row per random set
random_measures <- function(task, k) {
  kept(random_file(task$name, k), {
    sets <- random_selections(task, k)
    t(apply(sets, 1, function(columns) cluster_measures(task, columns)))
  })
}

# The fit and the measures of what it selected. A refit that selects the same
# columns keeps the measures. A method that ran into the limit at one size of a data
# set is not tried at its other sizes.
method_measures <- function(task, label, call, k, again = FALSE) {
  file <- fit_file(task$name, label, k)
  old <- kept_or_null(file)
  if (!is.null(old) && !again) return(old)
  if (missed_elsewhere(task$name, label, k, again)) {
    fit <- list(selected = NULL, cpu = NA, elapsed = NA, note = "limit")
  } else {
    fit <- limited_fit(call, task$x, NULL, k)
  }
  if (length(fit$selected) > 0) {
    same <- setequal(old$selected, fit$selected)
    fit$measures <- if (same) old$measures else cluster_measures(task, fit$selected)
  }
  fit$version <- format(utils::packageVersion("rowsparse"))
  keep(fit, file)
}

# of fits that are made again only those of this run count
missed_elsewhere <- function(name, label, k, again) {
  files <- vapply(setdiff(cluster_sizes, k), function(size) fit_file(name, label, size), "")
  if (again) files <- files[file.exists(files) & file.mtime(files) >= run_started]
  "limit" %in% unlist(lapply(files, function(file) kept_or_null(file)$note))
}

run_clusters <- function(names, methods, sizes, again) {
  sizes <- intersect(cluster_sizes, sizes)
  for (label in c("random", names(methods))) {
    for (k in sizes) {
      for (name in names) {
        task <- cluster_task(name)
        if (length(sizes_served(task, k)) == 0) next
        progress(name, k, label, if (label == "random") {
          random_measures(task, k)
        } else {
          method_measures(task, label, methods[[label]], k, again)
        })
      }
    }
  }
}

progress <- function(name, k, label, expression) {
  time <- system.time(expression)
  if (sum(time[1:2]) > 0.05) {
    message(sprintf("%s %s k = %d: %.1f s", label, name, k, sum(time[1:2])))
  }
}
