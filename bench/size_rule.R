# The right size: by which rule cv_rowsparse() chooses the number of features.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/size_rule.R [choose | judge | page]
# Writes bench/results/size_rule.md from what build/size_rule holds; half an hour of one core.
#
# The protocol is that of bench/size_rule/protocol.md.
source(file.path("bench", "common.R"))

# ---- data ------------------------------------------------------------------------------------

class_sets <- c(
  "ALLAML", "borovecki", "christensen", "GLIOMA", "lung_discrete", "pomeroy", "SRBCT", "su",
  "subramanian", "west", "USPS_1000", "UMIST", "warpPIE10P"
)
number_sets <- paste0("regression/",
  c("bbb", "boston_squares", "cox2", "diabetes64", "gasoline", "pac", "tecator")
)

in_parts <- function(y, parts) factor(ceiling(rank(y, ties.method = "first") * parts / length(y)))

read_shared <- function(name) {
  set <- bench_data(sub(" in thirds", "", name))
  y <- if (grepl("thirds", name)) in_parts(set$y, 3) else set$y
  if (!name %in% number_sets) y <- factor(y)
  rows <- which(!is.factor(y) | y %in% names(which(table(y) >= 6)))
  rows <- sort(rows[sample.int(length(rows), min(length(rows), 300))])
  list(x = widest(as.matrix(set$x)[rows, ], 500), y = y[rows, drop = TRUE])
}

# package, table, response, and columns that are left out
judged_sets <- list(
  Sonar = c("mlbench", "Sonar", "Class"), Ionosphere = c("mlbench", "Ionosphere", "Class", "V2"),
  Vehicle = c("mlbench", "Vehicle", "Class"), Glass = c("mlbench", "Glass", "Type"),
  Boston = c("MASS", "Boston", "medv"), Hitters = c("ISLR2", "Hitters", "Salary"),
  College = c("ISLR2", "College", "Outstate"),
  solubility = c("AppliedPredictiveModeling", "solubility", "y"),
  meats = c("modeldata", "meats", "fat", "water", "protein"),
  chem = c("AppliedPredictiveModeling", "ChemicalManufacturingProcess", "Yield")
)

read_judged <- function(name) {
  source <- judged_sets[[name]]
  frame <- new.env()
  utils::data(list = source[2], package = source[1], envir = frame)
  table <- as.data.frame(if (name == "solubility") {
    cbind(rbind(frame$solTrainX, frame$solTestX), y = c(frame$solTrainY, frame$solTestY))
  } else {
    frame[[source[2]]]
  })
  if (name == "Hitters") table <- transform(table[!is.na(table$Salary), ], Salary = log(Salary))
  x <- table[setdiff(names(table), source[-(1:2)])]
  gaps <- vapply(x, anyNA, NA)
  x[gaps] <- lapply(x[gaps], function(x) replace(x, is.na(x), stats::median(x, na.rm = TRUE)))
  x <- unname(stats::model.matrix(~., x)[, -1])
  list(x = x[, apply(x, 2, stats::var) > 0], y = table[[source[3]]])
}

# ten of d features, with effects of either sign that fall from 1 to 0.5, make up the response
designs <- expand.grid(shape = c("200 x 50", "100 x 200", "60 x 500"),
  response = c("numbers", "two classes", "three classes"), stringsAsFactors = FALSE
)
planted_names <- paste(designs$shape, designs$response, sep = ", ")
planted <- function(at, seed) {
  set.seed(1000 * at + seed)
  size <- as.integer(strsplit(designs$shape[at], " x ")[[1]])
  x <- matrix(stats::rnorm((size[1] + 1000) * size[2]), ncol = size[2])
  value <- drop(x[, 1:10] %*% (seq(1, 0.5, length.out = 10) * c(1, -1)))
  value <- value + stats::rnorm(length(value))
  classes <- c(numbers = 0, `two classes` = 2, `three classes` = 3)[[designs$response[at]]]
  list(x = x, y = if (classes == 0) value else in_parts(value, classes), train = seq_len(size[1]))
}

# ---- what is measured --------------------------------------------------------------------------

# the point of each candidate, by the losses of the folds
points_by_rule <- function(cv) {
  shares <- list(as.vector(table(cv$foldid)) / length(cv$foldid))
  unlist(lapply(cv$fold_losses[names(cv$fold_losses) %in% c("error", "log_loss")], function(loss) {
    chosen <- rowsparse:::chosen_points(loss, shares, rep(1, ncol(loss)))
    own <- rowsparse:::fold_summary(loss, shares)$se[chosen$best[["min"]]]
    c(chosen$best, `own se` = which(chosen$against$mean <= own + 1e-9)[1])
  }))
}

# a row for each candidate and for glmnet: size, error, and features beyond the first `true`
judge <- function(x, y, train, true = Inf) {
  test <- x[-train, ]
  truth <- y[-train]
  x <- x[train, ]
  y <- y[train, drop = TRUE]
  classes <- is.factor(y)
  result <- function(used, guess) {
    error <- if (classes) {
      mean(as.character(guess) != as.character(truth))
    } else {
      sum((truth - guess)^2) / sum((truth - mean(y))^2)
    }
    data.frame(classes = classes, k = length(used), error = error, false = sum(used > true))
  }
  type <- if (classes) "class" else "response"
  cv <- quiet(cv_rowsparse(x, y))
  k <- vapply(points_by_rule(cv), function(point) cv$table$k[point], 0L)
  own <- rows_of(unique(k), function(k) {
    fit <- quiet(rowsparse(x, y, k))
    result(fit$selected, stats::predict(fit, test, type = type))
  })
  set.seed(1)
  family <- if (!classes) "gaussian" else if (nlevels(y) == 2) "binomial" else "multinomial"
  peer <- quiet(glmnet::cv.glmnet(x, y, family = family))
  theirs <- rows_of(c("lambda.1se", "lambda.min"), function(s) {
    slopes <- stats::coef(peer, s = s)
    slopes <- do.call(cbind, if (is.list(slopes)) unname(slopes) else list(slopes))
    used <- which(Matrix::rowSums(abs(slopes[-1, , drop = FALSE])) > 0)
    result(used, stats::predict(peer, test, s = s, type = type))
  })
  data.frame(rule = c(names(k), "glmnet 1se", "glmnet min"),
    rbind(own[match(k, unique(k)), ], theirs), row.names = NULL
  )
}

by_splits <- function(names, read, times) {
  rows_of(names, function(name) {
    message(name)
    set.seed(1)
    set <- read(name)
    strata <- if (is.factor(set$y)) set$y else rep(1, length(set$y))
    rows_of(seq_len(times), function(split) {
      set.seed(split)
      train <- unlist(tapply(seq_along(set$y), strata, function(rows) {
        rows[sample.int(length(rows), ceiling(0.7 * length(rows)))]
      }))
      data.frame(set = name, split = split, judge(set$x, set$y, sort(train)))
    })
  })
}

by_draws <- function(seeds) {
  rows_of(seq_along(planted_names), function(at) {
    message(planted_names[at])
    rows_of(seeds, function(seed) {
      set <- planted(at, seed)
      data.frame(set = planted_names[at], split = seed, judge(set$x, set$y, set$train, 10))
    })
  })
}

parts <- list(
  choose = function() {
    sets <- c(class_sets, number_sets, paste(number_sets, "in thirds"))
    rbind(by_splits(sets, read_shared, 3), by_draws(1:5))
  },
  judge = function() rbind(by_splits(names(judged_sets), read_judged, 10), by_draws(101:105))
)

# ---- the page ----------------------------------------------------------------------------------

means_by <- function(table, column) {
  means <- tapply(table[[column]], table[c("rule", "set")], mean)
  means[unique(table$rule), unique(table$set), drop = FALSE]
}

# the rule that the protocol takes, by the part `choose`
chosen_rule <- function(table) {
  false <- means_by(table[table$set %in% planted_names, ], "false")
  real <- table[!table$set %in% planted_names, ]
  rules <- grep("glmnet", rownames(false), invert = TRUE, value = TRUE)
  more <- rowMeans(false)[rules] - mean(false["error.1se", ])
  error <- rowMeans(means_by(real, "error"))[rules[more <= 1]]
  close <- names(error)[error <= min(error) + 0.001]
  close[which.min(rowMeans(means_by(real, "k"))[close])]
}

# cells of the columns, one row for each rule
write_table <- function(table, columns) {
  cells <- lapply(columns, function(column) {
    means <- means_by(table, column)
    decimals(cbind(mean = rowMeans(means), means), if (column == "error") 3 else 1)
  })
  cells <- do.call(paste, c(cells, sep = " / "))
  names <- sub("regression/", "", c("mean", unique(table$set)))
  cat("\nCells: ", paste(columns, collapse = " / "), "\n", sep = "")
  markdown(stats::setNames(
    data.frame(unique(table$rule), matrix(cells, ncol = length(names))), c("rule", names)
  ))
}

asked <- commandArgs(TRUE)
store <- file.path("build", "size_rule", paste0(names(parts), ".rds"))
for (at in which(names(parts) %in% asked | length(asked) == 0)) keep(parts[[at]](), store[at])
sink(file.path("bench", "results", "size_rule.md"))
begin_page("size_rule")
for (at in which(file.exists(store))) {
  for (classes in c(TRUE, FALSE)) {
    table <- readRDS(store[at])
    table <- table[table$classes == classes, ]
    cat("\n## ", if (at == 1) "Choosing, " else "Judging, ", if (classes) "classes" else "numbers",
      "\n", sep = ""
    )
    if (at == 1) cat("\nThe protocol takes `", chosen_rule(table), "`.\n", sep = "")
    made <- table$set %in% planted_names
    write_table(table[!made, ], c("error", "k"))
    write_table(table[made, ], c("false", "error"))
  }
}
sink()
