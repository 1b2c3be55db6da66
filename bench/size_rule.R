# The right size: by which rule cv_rowsparse() chooses the number of features.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/size_rule.R [choose] [judge]
# Writes bench/results/size_rule.md from what build/size_rule holds; about 20 minutes of one core.
#
# Protocol, written before any judging set was looked at.
# Candidates: of classes by the share of wrong ones or by the logarithmic loss, of numbers by the
# squared error: the least ("min"); the smallest size worse than it by at most the standard error
# of their difference over the folds ("1se", today's with `error`); or by at most the standard error
# of the least itself ("own se"). All are taken from one cross-validation, with the default
# method, sizes and folds of cv_rowsparse(); the fit of each is then judged on samples left out.
# Choosing: sets of the shared folder (at most 300 samples of classes with six or more, the 500
# features of largest variance; regressions also in thirds, as classes), three random splits 70/30
# each; and five draws of each planted design. Of the candidates with at most one false feature more
# than today in every design, the one of least mean error over the sets; of those within 0.001
# of it the one of fewest features.
# Judging, once: ten splits 70/30 of nine sets that take no part in the choosing, ten other draws
# of the planted designs. Gate, on the means over the splits: of classes the error of the rule,
# averaged over the sets, is at most that of glmnet (lambda.1se by deviance) + 0.005; of numbers at
# most that of today's rule; and at most one false feature more than today in every design.
source(file.path("bench", "common.R"))

# ---- data ------------------------------------------------------------------------------------

class_sets <- c(
  "ALLAML", "borovecki", "christensen", "GLIOMA", "lung_discrete", "pomeroy", "SRBCT", "su",
  "subramanian", "west", "USPS_1000", "UMIST", "warpPIE10P"
)
number_sets <- c("bbb", "boston_squares", "cox2", "diabetes64", "gasoline", "pac", "tecator")

read_shared <- function(name) {
  set <- bench_data(sub(" in thirds", "", name))
  y <- set$y
  if (grepl("thirds", name)) y <- cut(rank(y, ties.method = "first"), 3, labels = FALSE)
  if (!startsWith(name, "regression") || grepl("thirds", name)) y <- factor(y)
  rows <- which(!is.factor(y) | y %in% names(which(table(y) >= 6)))
  rows <- sort(rows[sample.int(length(rows), min(length(rows), 300))])
  x <- unname(as.matrix(set$x)[rows, ]) + 0
  variance <- apply(x, 2, stats::var)
  kept <- utils::head(order(-variance), min(500, sum(variance > 0)))
  list(x = x[, kept], y = drop_unused(y[rows]))
}

drop_unused <- function(y) if (is.factor(y)) droplevels(y) else y

from_package <- function(package, name) {
  frame <- new.env()
  utils::data(list = name, package = package, envir = frame)
  as.list(frame)
}

table_set <- function(table, response, left_out = NULL) {
  table <- stats::na.omit(as.data.frame(table))
  x <- stats::model.matrix(~., table[setdiff(names(table), c(response, left_out))])[, -1]
  list(x = x[, apply(x, 2, stats::var) > 0], y = table[[response]])
}

judged_sets <- list(
  Sonar = function() table_set(from_package("mlbench", "Sonar")$Sonar, "Class"),
  Ionosphere = function() {
    table_set(from_package("mlbench", "Ionosphere")$Ionosphere, "Class", "V2")
  },
  Vehicle = function() table_set(from_package("mlbench", "Vehicle")$Vehicle, "Class"),
  Glass = function() table_set(from_package("mlbench", "Glass")$Glass, "Type"),
  Boston = function() table_set(MASS::Boston, "medv"),
  Hitters = function() {
    table_set(transform(stats::na.omit(ISLR2::Hitters), Salary = log(Salary)), "Salary")
  },
  College = function() table_set(ISLR2::College, "Outstate"),
  solubility = function() {
    all <- from_package("AppliedPredictiveModeling", "solubility")
    list(x = as.matrix(rbind(all$solTrainX, all$solTestX)), y = c(all$solTrainY, all$solTestY))
  },
  meats = function() table_set(modeldata::meats, "fat", c("water", "protein")),
  chem = function() {
    table <- from_package("AppliedPredictiveModeling", "ChemicalManufacturingProcess")[[1]]
    table[] <- lapply(table, function(x) replace(x, is.na(x), stats::median(x, na.rm = TRUE)))
    table_set(table, "Yield")
  }
)

# ten of d features, with effects of either sign that fall from 1 to 0.5, make up the response
designs <- expand.grid(shape = c("200 x 50", "100 x 200", "60 x 500"),
  response = c("numbers", "two classes", "three classes"), stringsAsFactors = FALSE
)
planted <- function(at, seed) {
  set.seed(1000 * at + seed)
  size <- as.integer(strsplit(designs$shape[at], " x ")[[1]])
  x <- matrix(stats::rnorm((size[1] + 1000) * size[2]), ncol = size[2])
  value <- drop(x[, 1:10] %*% (seq(1, 0.5, length.out = 10) * c(1, -1)))
  value <- value + stats::rnorm(length(value))
  classes <- c(numbers = 0, `two classes` = 2, `three classes` = 3)[[designs$response[at]]]
  y <- if (classes == 0) value else factor(ceiling(rank(value) * classes / length(value)))
  list(x = x, y = y, train = seq_len(size[1]))
}

# ---- what is measured --------------------------------------------------------------------------

# the point of each candidate, by the losses of the folds
points_by_rule <- function(cv) {
  shares <- as.vector(table(cv$foldid)) / length(cv$foldid)
  measures <- intersect(c("error", "log_loss"), names(cv$fold_losses))
  unlist(lapply(cv$fold_losses[measures], function(loss) {
    mean <- colSums(loss * shares)
    best <- which(mean <= min(mean) + 1e-9)[1]
    paired <- rowsparse:::fold_summary(loss - loss[, best], list(shares))
    own <- rowsparse:::fold_summary(loss, list(shares))$se[best]
    c(min = best, `1se` = which(paired$mean <= paired$se + 1e-9)[1],
      `own se` = which(paired$mean <= own + 1e-9)[1]
    )
  }))
}

error_of <- function(guess, truth, level) {
  if (is.factor(truth)) return(mean(as.character(guess) != as.character(truth)))
  sum((truth - guess)^2) / sum((truth - level)^2)
}

# a row for each candidate and for glmnet: size, error, and false features of those beyond `true`
judge <- function(x, y, train, true = Inf) {
  test <- x[-train, ]
  truth <- y[-train]
  x <- x[train, ]
  y <- drop_unused(y[train])
  cv <- quiet(cv_rowsparse(x, y))
  k <- stats::setNames(cv$table$k, NULL)[points_by_rule(cv)]
  fits <- lapply(stats::setNames(nm = unique(k)), function(k) quiet(rowsparse(x, y, k)))
  own <- rows_of(k, function(k) {
    fit <- fits[[as.character(k)]]
    guess <- stats::predict(fit, test, type = if (is.factor(y)) "class" else "response")
    data.frame(k = k, error = error_of(guess, truth, mean(as.numeric(y))),
      false = sum(fit$selected > true)
    )
  })
  set.seed(1)
  family <- if (!is.factor(y)) "gaussian" else if (nlevels(y) == 2) "binomial" else "multinomial"
  peer <- quiet(glmnet::cv.glmnet(x, y, family = family))
  theirs <- rows_of(c("lambda.1se", "lambda.min"), function(s) {
    guess <- stats::predict(peer, test, s = s, type = if (is.factor(y)) "class" else "response")
    slopes <- stats::coef(peer, s = s)
    if (!is.list(slopes)) slopes <- list(slopes)
    used <- which(Reduce(`+`, lapply(slopes, function(b) abs(b[-1]))) > 0)
    data.frame(k = length(used), error = error_of(guess, truth, mean(as.numeric(y))),
      false = sum(used > true)
    )
  })
  data.frame(rule = c(names(points_by_rule(cv)), "glmnet 1se", "glmnet min"),
    classes = is.factor(y), rbind(own, theirs), row.names = NULL
  )
}

by_splits <- function(name, read, times) {
  message(name)
  set.seed(1)
  set <- read()
  rows_of(seq_len(times), function(split) {
    set.seed(split)
    train <- unlist(tapply(seq_along(set$y), if (is.factor(set$y)) set$y else rep(1, length(set$y)),
      function(rows) rows[sample.int(length(rows), ceiling(0.7 * length(rows)))]
    ))
    data.frame(set = name, split = split, judge(set$x, set$y, sort(train)))
  })
}

by_draws <- function(seeds) {
  rows_of(seq_len(nrow(designs)), function(at) {
    name <- paste(designs$shape[at], designs$response[at], sep = ", ")
    message(name)
    rows_of(seeds, function(seed) {
      set <- planted(at, seed)
      data.frame(set = name, split = seed, judge(set$x, set$y, set$train, 10))
    })
  })
}

parts <- list(
  choose = function() {
    sets <- c(class_sets, paste0("regression/", number_sets),
      paste0("regression/", number_sets, " in thirds")
    )
    rbind(rows_of(sets, function(name) by_splits(name, function() read_shared(name), 3)),
      by_draws(1:5)
    )
  },
  judge = function() {
    rbind(rows_of(names(judged_sets), function(name) by_splits(name, judged_sets[[name]], 10)),
      by_draws(101:110)
    )
  }
)

# ---- the page ----------------------------------------------------------------------------------

means_by <- function(table, column) {
  sets <- factor(table$set, unique(table$set))
  tapply(table[[column]], list(table$rule, sets), mean)[unique(table$rule), , drop = FALSE]
}

is_planted <- function(table) table$set %in% paste(designs$shape, designs$response, sep = ", ")

# the rule that the protocol takes, by the part `choose`
chosen_rule <- function(table) {
  false <- means_by(table[is_planted(table), ], "false")
  rules <- grep("glmnet", rownames(false), invert = TRUE, value = TRUE)
  beyond <- apply(false[rules, ] - rep(false["error.1se", ], each = length(rules)), 1, max)
  real <- table[!is_planted(table), ]
  error <- rowMeans(means_by(real, "error"))[rules[beyond <= 1]]
  size <- rowMeans(means_by(real, "k"))
  close <- names(error)[error <= min(error) + 0.001]
  close[which.min(size[close])]
}

write_part <- function(table, title) {
  cat("\n## ", title, "\n", sep = "")
  for (classes in c(TRUE, FALSE)) {
    for (planted in c(FALSE, TRUE)) {
      own <- table[table$classes == classes & is_planted(table) == planted, ]
      columns <- c(if (planted) "false", "error", "k")
      values <- lapply(stats::setNames(nm = columns), function(column) means_by(own, column))
      cell <- function(rule, set) {
        paste(vapply(columns, function(column) {
          decimals(values[[column]][rule, set], if (column == "error") 3 else 1)
        }, ""), collapse = " / ")
      }
      cat(sprintf("\n%s, %s: %s\n", if (classes) "Classes" else "Numbers",
        if (planted) "ten planted features" else "sets", paste(columns, collapse = " / ")
      ))
      values <- lapply(values, function(value) cbind(value, mean = rowMeans(value)))
      cross_table(rownames(values$k), colnames(values$k), cell,
        sub("regression/", "", colnames(values$k)), first = "rule"
      )
    }
  }
}

asked <- intersect(names(parts), commandArgs(TRUE))
store <- file.path("build", "size_rule")
for (part in if (length(asked) > 0) asked else names(parts)) {
  keep(parts[[part]](), file.path(store, paste0(part, ".rds")))
}
found <- lapply(stats::setNames(nm = names(parts)), function(part) {
  kept_or_null(file.path(store, paste0(part, ".rds")))
})
sink(file.path("bench", "results", "size_rule.md"))
cat("# The right size: by which rule cv_rowsparse() chooses\n\n",
  "    OPENBLAS_NUM_THREADS=1 Rscript bench/size_rule.R\n\n", sep = ""
)
machine_line()
file <- file.path("bench", "size_rule.md")
if (file.exists(file)) writeLines(c("", readLines(file)))
if (!is.null(found$choose)) {
  rules <- vapply(c(TRUE, FALSE), function(classes) {
    chosen_rule(found$choose[found$choose$classes == classes, ])
  }, "")
  cat(sprintf("\nThe protocol takes `%s` for classes, `%s` for numbers.\n", rules[1], rules[2]))
  write_part(found$choose, "Choosing")
}
if (!is.null(found$judge)) write_part(found$judge, "Judging")
sink()
