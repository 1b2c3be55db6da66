# Classes as responses: the classifier of predict() beside others, and the default of rowsparse().

class_sets <- c(
  "ALLAML", "borovecki", "christensen", "COIL20", "GLIOMA", "Goolam", "Isolet", "lung_discrete",
  "mECS", "mix_3cl_2batch", "mix_rnamix_celseq2", "nakayama", "orlraws10P", "panc8_small", "pie",
  "pomeroy", "SRBCT", "su", "subramanian", "UMIST", "USPS_1000", "warpPIE10P", "west", "yan124",
  "zheng500"
)

read_classes <- function(name, least = 1) {
  message(name)
  set <- bench_data(name)
  some <- set$y %in% names(which(table(set$y) >= least))
  list(name = name, x = unname(as.matrix(set$x))[some, ] + 0, y = factor(set$y[some]))
}

class_row <- function(name, k, model, p, truth) {
  own <- p[cbind(seq_along(truth), as.integer(truth))]
  wrong <- levels(truth)[max.col(p, "first")] != truth
  data.frame(set = name, k = k, model = model, error = mean(wrong),
    balanced = mean(tapply(wrong, truth, mean)), log_loss = mean(-log(pmax(own, 1e-6)))
  )
}

# indicators as probabilities: cut to 0.001 and more, divided by their sum
clipped <- function(fitted) {
  p <- pmax(fitted, 0.001)
  p / rowSums(p)
}

# the rule that fits of moments have, from sums over the samples
by_sums <- function(x, y, new) {
  center <- colMeans(x)
  x <- sweep(x, 2, center)
  rule <- rowsparse:::discriminant_of_sums(crossprod(x), t(rowsum(x, as.integer(y))), tabulate(y))
  scores <- rowsparse:::discriminant_scores(rule, sweep(new, 2, center))
  rowsparse:::softmax(rule$temperature * scores)
}

# probabilities of all samples, each from the folds without it, by model and size
class_probabilities <- function(x, y, sizes) {
  foldid <- integer(length(y))
  foldid[order(y)] <- rep_len(1:5, length(y))
  p <- lapply(stats::setNames(nm = c("discriminants", "sums", "indicators")), function(model) {
    lapply(sizes, function(k) matrix(0, length(y), nlevels(y)))
  })
  for (fold in 1:5) {
    out <- which(foldid == fold)
    fit <- quiet(alignment(x[-out, ], y[-out], k = max(sizes)))
    for (at in seq_along(sizes)) {
      predicted <- function(type) stats::predict(fit, x[out, ], k = sizes[at], type = type)
      p$discriminants[[at]][out, ] <- predicted("prob")
      p$indicators[[at]][out, ] <- clipped(predicted("response"))
      columns <- fit$ranking[seq_len(sizes[at])]
      p$sums[[at]][out, ] <- by_sums(x[-out, columns], y[-out], x[out, columns])
    }
  }
  p
}

run_classes <- function() {
  sizes <- c(5, 20, 50)
  rows_of(asked_sets(class_sets), function(name) {
    set <- read_classes(name, least = 5)
    p <- class_probabilities(set$x, set$y, sizes)
    rows_of(names(p), function(model) {
      rows_of(seq_along(sizes), function(at) {
        class_row(name, sizes[at], model, p[[model]][[at]], set$y)
      })
    })
  })
}

# ---- the default for classes -------------------------------------------------------------

# sets of at most 1600 samples and 4000 features; thirds of the responses of the regressions, as
# few sets with classes have fewer features than samples
choice_sets <- function() {
  labelled <- lapply(asked_sets(c(
    "christensen", "COIL20", "Isolet", "lung_discrete", "panc8_small", "pie", "SRBCT", "UMIST",
    "USPS_1000", "warpPIE10P"
  )), read_classes)
  cut <- lapply(asked_sets(real_sets), function(name) {
    set <- read_real(name)
    set$y <- cut(rank(set$y, ties.method = "first"), 3, labels = FALSE)
    list(name = paste(name, "in thirds"), x = set$x, y = factor(set$y))
  })
  c(labelled, cut)
}

choice_methods <- list(
  `the default` = function(x, y, k) rowsparse(x, y, k),
  alignment = function(x, y, k) rowsparse(x, y, k, "alignment"),
  `Pillai's trace` = function(x, y, k) cdlsr(x, y, k, ridge = "pillai"),
  `cdlsr, ridge by folds` = function(x, y, k) cdlsr(x, y, k, ridge = "cv"),
  ftest = function(x, y, k) rowsparse(x, y, k, "ftest")
)

# wrong shares of two judges: the classifier of predict(), and five neighbours
choice_row <- function(set, method, k, train) {
  x <- set$x[, apply(set$x[train, ], 2, stats::sd) > 0]
  time <- system.time(fit <- quiet(choice_methods[[method]](x[train, ], set$y[train], k)))
  chosen <- scale(x[train, fit$selected])
  new <- scale(x[-train, fit$selected], attr(chosen, "scaled:center"),
    attr(chosen, "scaled:scale")
  )
  wrong <- function(guess) mean(guess != set$y[-train])
  data.frame(set = set$name, shape = ncol(set$x) / length(train), method = method, k = k,
    classifier = wrong(quiet(stats::predict(fit, x[-train, ]))),
    neighbours = wrong(class::knn(chosen, new, set$y[train], 5)), seconds = time[["user.self"]]
  )
}

# two splits, 70 of 100 of each class
run_choice <- function() {
  rows_of(choice_sets(), function(set) {
    rows_of(1:2, function(seed) {
      set.seed(seed)
      train <- sort(unlist(lapply(split(seq_along(set$y), set$y), function(own) {
        own[sample.int(length(own), ceiling(0.7 * length(own)))]
      })))
      sizes <- Filter(function(k) k < min(ncol(set$x), length(train) / 2), c(3, 5, 10, 20))
      rows_of(sizes, function(k) {
        rows_of(names(choice_methods), choice_row, set = set, k = k, train = train)
      })
    })
  })
}
