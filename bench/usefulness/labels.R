# With labels: the cross-validated error of three classifiers on the columns that were
# selected from the training samples alone.

label_sizes <- c(20, 10, 50)
fold_count <- 5
random_label_count <- 20

# errors of every classifier, as numbers of test samples
classifier_errors <- function(train, test, y_train, y_test) {
  scaled <- standardise(train, test)
  c(
    nn = nearest_errors(scaled$train, scaled$test, y_train, y_test),
    lda = errors_or_na(y_test, shrinkage_lda(scaled$train, scaled$test, y_train)),
    svm = errors_or_na(y_test, linear_svm(scaled$train, scaled$test, y_train))
  )
}

# by mean and standard deviation of the training samples; a constant column is zero
standardise <- function(train, test) {
  centre <- colMeans(train)
  spread <- sqrt(colMeans((train - rep(centre, each = nrow(train)))^2))
  constant <- spread <= 1e-12 * pmax(abs(centre), 1)
  spread[constant] <- 1
  lapply(list(train = train, test = test), function(x) {
    x <- (x - rep(centre, each = nrow(x))) / rep(spread, each = nrow(x))
    x[, constant] <- 0
    x
  })
}

# one nearest neighbour; of several equally near ones the share of another class
nearest_errors <- function(train, test, y_train, y_test) {
  distance <- outer(rowSums(train^2), rowSums(test^2), "+") - 2 * tcrossprod(train, test)
  sum(vapply(seq_along(y_test), function(i) {
    d <- distance[, i]
    mean(y_train[d <= min(d) + 1e-9 * ncol(train)] != y_test[i])
  }, 0))
}

shrinkage_lda <- function(train, test, y) {
  if (!installed("sda")) return(NULL)
  fit <- sda::sda(train, factor(y), verbose = FALSE)
  as.integer(as.character(stats::predict(fit, test, verbose = FALSE)$class))
}

linear_svm <- function(train, test, y) {
  if (!installed("e1071")) return(NULL)
  fit <- e1071::svm(train, factor(y), kernel = "linear", cost = 1, scale = FALSE)
  as.integer(as.character(stats::predict(fit, test)))
}

errors_or_na <- function(y, predicted) if (is.null(predicted)) NA_real_ else sum(predicted != y)

warn_absent <- function() {
  for (package in c("sda", "e1071")) {
    if (!installed(package)) {
      message("*** package ", package, " is not installed: its classifier is left out ***")
    }
  }
}

label_task <- function(name, split) {
  task <- usefulness_data(name)
  fixed_seed(100 + split)
  task$folds <- stratified_folds(task$y, fold_count)
  task$split <- split
  task
}

# errors by fold (rows) and classifier; `select(x, y, fold)` gives columns or NULL
fold_errors <- function(task, select) {
  rows_of(seq_len(fold_count), function(fold) {
    held <- task$folds == fold
    columns <- select(task$x[!held, , drop = FALSE], task$y[!held], fold)
    if (is.null(columns)) return(c(nn = NA, lda = NA, svm = NA))
    classifier_errors(dense_part(task$x[!held, , drop = FALSE], columns),
      dense_part(task$x[held, , drop = FALSE], columns), task$y[!held], task$y[held]
    )
  })
}

label_file <- function(task, label, k) {
  store_file("labels", task$name, label, sprintf("k%d", k), sprintf("split%d", task$split))
}

# error rates of the random sets: one row per set
random_errors <- function(task, k) {
  kept(label_file(task, "random", k), {
    sets <- random_selections(task, k, random_label_count)
    t(apply(sets, 1, function(columns) {
      colSums(fold_errors(task, function(x, y, fold) columns)) / length(task$y)
    }))
  })
}

# list(errors by fold and classifier, cpu and note by fold, selected)
label_errors <- function(task, label, call, k, again) {
  file <- label_file(task, label, k)
  old <- kept_or_null(file)
  if (!is.null(old) && !again) return(old)
  fits <- vector("list", fold_count)
  errors <- fold_errors(task, function(x, y, fold) {
    # one fold beyond the limit is enough
    if (any(vapply(fits, function(fit) identical(fit$note, "limit"), NA))) return(NULL)
    fits[[fold]] <<- limited_fit(call, x, factor(y), k)
    fits[[fold]]$selected
  })
  result <- list(errors = errors, n = length(task$y), fits = fits,
    version = format(utils::packageVersion("rowsparse"))
  )
  keep(result, file)
}

run_labels <- function(names, methods, sizes, splits, again) {
  warn_absent()
  for (split in splits) {
    for (k in intersect(label_sizes, sizes)) {
      for (name in names) {
        task <- label_task(name, split)
        for (label in names(methods)) {
          progress(name, k, label, label_errors(task, label, methods[[label]], k, again))
        }
        progress(name, k, "random", random_errors(task, k))
      }
    }
  }
}
