# The questions: functions that give a list of plain numbers and names, under the keys that the
# record has. A later interface changes the calls here, and keeps the keys and the lists.

# ---- what is asked about ------------------------------------------------------------------

variants <- list(
  bsufs = c("mm", "rtr", "pencf"), css = c("exchange", "forward", "exact"),
  dscofs = c("mm", "pencf", "rtr"), fspca = c("exchange", "go", "ipu", "exact"),
  kmeans_ufs = c("exact", "admm", "alternate"), ndfs = c("monotone", "paper"),
  spca_psd = c("exact", "paper"), cdlsr = c("exchange", "cd", "exact")
)
methods_known <- rowsparse_methods()$method
penalised <- c("aw_spca", "cspca", "spca_psd", "spcafs", "tsfs", "crfs", "rfs")
needs_response <- methods_known[rowsparse_methods()$supervised]
takes_response <- c(needs_response, "alignment")
valued <- c("fspca", "css", "cdlsr", "alignment")
# their objective is a value, the others' a loss; answers hold what is to be small
rising <- c("alignment", "ftest")

# one question for each combination, under the words of the combination
crossed <- function(ask, ...) {
  grid <- expand.grid(..., stringsAsFactors = FALSE)
  questions <- lapply(seq_len(nrow(grid)), function(i) {
    words <- unname(as.list(grid[i, , drop = FALSE]))
    function() do.call(ask, words)
  })
  stats::setNames(questions, do.call(paste, unname(grid)))
}

with_word <- function(word, questions) stats::setNames(questions, paste(word, names(questions)))

# ---- what a fit, a path, a table of roles says --------------------------------------------

# by feature, in the order of their names
by_name <- function(values, names) values[order(names)] |> stats::setNames(sort(names))

loss <- function(values, method) if (method %in% rising) -values else values

last <- function(values) if (length(values) > 0) utils::tail(values, 1) else NA_real_

coefficients_of <- function(...) {
  values <- coef(...)
  matrix(as.vector(values), nrow(values), dimnames = dimnames(values))
}

fit_answer <- function(fit) {
  if (grepl("time", fit$status)) leave_out("the clock ended it")
  features <- fit$feature_names
  if (is.null(features)) features <- as.character(seq_along(fit$scores))
  list(
    selected = sort(as.character(selected(fit))), gap = fit$gap,
    objective = loss(last(fit$objective), class(fit)[1]),
    scores = by_name(unname(fit$scores), features)
  )
}

# predictions for new samples: of classes also probabilities, without a response the components
# but for a rotation
predictions <- function(fit, new, ...) {
  if (is.null(fit[["response"]])) {
    values <- as.matrix(predict(fit, new, type = "features"))
    answer <- list(values = values[, order(colnames(values))])
    if (is.matrix(fit$loadings)) {
      answer$lengths <- sqrt(rowSums(predict(fit, new, type = "components")^2))
      answer$coef <- sqrt(rowSums(coef(fit)^2))
    }
    return(answer)
  }
  coefficients <- coefficients_of(fit)
  if (fit$response$type == "class") {
    return(list(
      class = as.character(predict(fit, new, type = "class", ...)),
      prob = as.matrix(predict(fit, new, type = "prob", ...)), coef = coefficients
    ))
  }
  list(values = as.matrix(predict(fit, new, ...)), coef = coefficients)
}

set_words <- function(sets) vapply(sets, function(set) paste(sort(set), collapse = " "), "")

# ---- the calls -----------------------------------------------------------------------------

# a fit, with the response where the method needs one
fit_of <- function(method, x, k, y = NULL, ...) {
  if (method %in% needs_response) return(rowsparse(x, y, k = k, method = method, ...))
  rowsparse(x, k = k, method = method, ...)
}

ask_fit <- function(variant, set) {
  part <- part_of_set(set)
  words <- strsplit(variant, " ")[[1]]
  more <- if (length(words) > 1) list(solver = words[2])
  exact <- variant %in% c("css exact", "fspca exact", "cdlsr exact")
  if (variant == "fspca exact") more$m <- 1
  k <- if (exact) 3 else 20
  fit_answer(do.call(fit_of, c(list(method = words[1], x = part$x, k = k, y = part$y), more)))
}

ask_data <- function(method, kind) {
  y <- if (method %in% needs_response) cells$classes
  x <- as_kind(kind, y)
  if (kind %in% second_moments) return(fit_answer(rowsparse(x, k = 6, method = method)))
  fit_answer(fit_of(method, x, 6, y))
}

ask_option <- function(method, option) {
  more <- switch(option,
    include = list(include = c("g7", "g20")), exclude = list(exclude = c("g2", "g5")),
    block = list(block = cells$batch), weights = list(weights = cells$weight),
    diverse = list(diverse = TRUE), scale = list(scale = TRUE), subset = list(subset = cells$new),
    m = list(m = 3), clusters = list(clusters = 4), neighbours = list(neighbours = 4),
    ridge = list(ridge = 2), lambda = list(lambda = 2)
  )
  x <- if (option == "subset") as_kind("experiment") else cells$x
  fit_answer(do.call(fit_of, c(list(method = method, x = x, k = 6, y = cells$classes), more)))
}

ask_groups <- function(method) {
  fit <- fit_of(method, cells$x, 3, cells$classes, groups = rep(letters[1:10], each = 3))
  c(fit_answer(fit), list(groups = sort(selected(fit, groups = TRUE))))
}

ask_rules <- function(method, rule) {
  x <- cells$x
  x[cells$batch == "v", c("g1", "g3")] <- 0
  rules <- switch(rule,
    budget = panel_rules(cost = stats::setNames(seq_len(30) %% 7 + 1, colnames(x)), budget = 18),
    least = panel_rules(sets = list(some = 10:20, other = 25:30), at_least = c(2, 1)),
    most = panel_rules(sets = list(some = 1:6), at_most = 2),
    batches = panel_rules(in_batches = 2)
  )
  fit_answer(fit_of(method, x, 6, cells$classes,
    rules = rules, block = if (rule == "batches") cells$batch
  ))
}

# the best panel within two exchanges of a given one, and what it carries or explains
ask_near <- function(method) {
  y <- if (method %in% needs_response) cells$classes
  panel <- paste0("g", c(1, 4, 10, 15, 22))
  fit <- fit_of(method, cells$x, 5, y, rules = panel_rules(near = panel, swaps = 2))
  all <- switch(method,
    css = sum(utils::head(svd(scale(cells$x, scale = FALSE))$d^2, fit$parameters$m)),
    cdlsr = sum(scale(outer(y, levels(factor(y)), "==") + 0, scale = FALSE)^2), 0
  )
  value <- abs(all - last(fit$objective))
  list(selected = sort(selected(fit)), objective = -value)
}

ask_predict <- function(method, response, block = NULL) {
  old <- -cells$new
  level <- function(rows) if (!is.null(block)) cells$batch[rows]
  y <- if (response != "none") as.matrix(cells[[response]])[old, ]
  fit <- rowsparse(cells$x[old, ], y, k = 6, method = method, block = level(old))
  predictions(fit, cells$x[cells$new, ], block = level(cells$new))
}

ask_new_data <- function(method, kind) {
  fit <- rowsparse(cells$x, cells$classes, k = 6, method = method)
  predictions(fit, as_kind(kind))
}

ask_formula <- function(method, table) {
  asked <- tables[[table]]
  new <- seq(2, nrow(asked$data), 3)
  old <- asked$data[-new, ]
  fit <- rowsparse(asked$formula, data = old, k = 2, method = method, na.action = asked$na.action)
  c(fit_answer(fit), predictions(fit, stats::na.omit(asked$data[new, ])))
}

ask_missing <- function(method) {
  y <- if (method %in% needs_response) cells$numbers
  fit_answer(rowsparse(moments(with_gaps, y, missing = "em"), k = 6, method = method))
}

ask_fill <- function() {
  list(values = suppressWarnings(predict(moments(with_gaps, missing = "em"), with_gaps[1:20, ])))
}

ask_path <- function(over, method) {
  y <- if (method %in% needs_response) cells$classes
  path <- if (over == "k") {
    rowsparse_path(cells$x, y, k = 1:8, method = method)
  } else {
    rowsparse_path(cells$x, y, method = method, nlambda = 8)
  }
  table <- as.data.frame(path)
  at <- table[[over]]
  sets <- lapply(at, function(at) selected(path, at = at))
  answer <- list(
    grid = at, sets = set_words(sets), objective = loss(table$objective, method), gap = table$gap
  )
  if (!is.null(y)) answer$coef <- coefficients_of(path, at = at[5])
  answer
}

ask_cv <- function(over, method, response) {
  y <- cells[[response]]
  cv <- if (over == "k") {
    cv_rowsparse(cells$x, y, k = c(1, 2, 4, 8), method = method, folds = 5)
  } else {
    cv_rowsparse(cells$x, y, method = method, folds = 5,
      lambda = as.data.frame(rowsparse_path(cells$x, y, method = method, nlambda = 6))[[1]]
    )
  }
  table <- as.data.frame(cv)
  # errors of numbers are relative to that of their mean
  if (response == "numbers") table[c("error", "se")] <- table[c("error", "se")] * cv$null_error
  kept <- intersect(c(over, "error", "se", "balanced", "log_loss"), names(table))
  c(
    list(chosen = cv[[over]], selected = sort(selected(cv))), as.list(table[kept]),
    list(values = as.matrix(predict(cv, cells$x[cells$new, ], type = "response")))
  )
}

# by fold the share of the sum of squares of the samples left out, about the means of the others,
# that least squares on the selected features, fitted to the others, reproduces
ask_held_out <- function(method) {
  cv <- cv_rowsparse(cells$x, k = 6, method = method, foldid = rep_len(1:4, 60))
  list(shares = 1 - as.vector(cv$fold_loss) / cv$fold_null)
}

ask_roles <- function(method, k) {
  x <- cells$x[, 1:12]
  y <- if (method %in% needs_response) cells$numbers
  found <- alternatives(x, fit_of(method, x, k, y), y, tolerance = c(0.02, 0.1), sets = 3)
  if (found$status != "finished") leave_out("the clock ended it")
  table <- found$features
  list(
    best = sort(found$best), objective = -found$value, gap = found$bound / found$value - 1,
    role = by_name(as.character(table$role), table$feature), wider = found$roles[, 2],
    price_least = by_name(table$price_least, table$feature),
    price_most = by_name(table$price_most, table$feature),
    counts = found$sets$count, sets = set_words(as.data.frame(found$sets$best))
  )
}

# no set of k features carries more than the bound
ask_bound <- function(method, k) {
  found <- alternatives(cells$x, seq_len(k), method = method, m = 2, tolerance = 0)
  if (found$status != "finished") leave_out("the clock ended it")
  list(objective = found$bound)
}

ask_panels <- function() {
  panels <- list(first = paste0("g", 1:6), last = paste0("g", 20:30))
  judged <- as.data.frame(compare_panels(panels, cells$x, types = cells$classes))
  judged <- judged[match(names(panels), judged$panel), ]
  as.list(judged[c("kept", "same", "f1", "redundancy", "explained")])
}

# ---- larger data, for the time alone ---------------------------------------------------------

ask_large <- function(method, set) {
  part <- whole_set(set)
  fit_answer(fit_of(method, part$x, 40, part$y))
}

ask_large_path <- function(method, set, m) {
  x <- whole_set(set)$x
  path <- rowsparse_path(x, method = method, m = m, k = if (method == "fspca") m - 1 + 1:50)
  list(objective = as.data.frame(path)$objective)
}

ask_large_proof <- function(name) {
  cases <- new.env()
  source(shared_file("reference", "exact_cases.R"), cases)
  case <- cases$exact_cases(shared_file("data"))[[name]]
  fit_answer(cdlsr(case$x, case$y, case$k, solver = "exact", ridge = case$ridge, scale = FALSE))
}

# without the methods that take minutes there
large_questions <- function() {
  c(
    crossed(ask_large, setdiff(methods_known, c("ipfs", "rpfs", "slap", "rne")),
      c("COIL20", "GLIOMA", "orlraws10P")
    ),
    crossed(ask_large_path, "bsufs", c("COIL20", "UMIST"), 20),
    crossed(ask_large_path, "fspca", c("USPS_1000", "lung_discrete"), 5),
    crossed(ask_large_proof,
      c("ar_1000x500_k10_rho0.9", "ar_500x1000_k10_ridge50", "ar_1000x500_k10_snr1")
    )
  )
}

# ---- all of them ---------------------------------------------------------------------------

all_questions <- function() {
  variant <- unlist(lapply(methods_known, function(method) {
    trimws(paste(method, or_empty(variants[[method]])))
  }))
  every <- methods_known
  without <- setdiff(every, needs_response)
  families <- list(
    fit = crossed(ask_fit, variant, sets), data = crossed(ask_data, every, kinds),
    option = crossed(ask_option, every,
      c("include", "exclude", "block", "weights", "diverse", "scale", "subset", "m", "clusters",
        "neighbours", "ridge", "lambda"
      )
    ),
    groups = crossed(ask_groups, every),
    rules = crossed(ask_rules, valued, c("budget", "least", "most", "batches")),
    near = crossed(ask_near, valued),
    predict = c(
      crossed(ask_predict, takes_response, c("classes", "numbers", "two")),
      crossed(ask_predict, takes_response, c("classes", "numbers"), "block"),
      crossed(ask_predict, without, "none"),
      crossed(ask_new_data, c("cdlsr", "rfs", "alignment"), setdiff(kinds, second_moments))
    ),
    formula = c(
      crossed(ask_formula, takes_response, c("classes", "numbers", "dot", "gaps")),
      crossed(ask_formula, without, "unlabelled")
    ),
    missing = c(crossed(ask_missing, every), list(fill = ask_fill)),
    path = c(crossed(ask_path, "k", every), crossed(ask_path, "lambda", penalised)),
    cv = c(
      crossed(ask_cv, "k", takes_response, c("classes", "numbers")),
      crossed(ask_cv, "lambda", intersect(penalised, takes_response), c("classes", "numbers")),
      with_word("unlabelled", crossed(ask_held_out, without))
    ),
    roles = crossed(ask_roles, valued, c(2, 4)), panels = list(cells = ask_panels),
    bound = crossed(ask_bound, "fspca", c(3, 6)), large = large_questions()
  )
  questions <- do.call(c, unname(Map(with_word, names(families), families)))
  stopifnot(!anyDuplicated(names(questions)))
  questions[grepl(Sys.getenv("QUESTIONS", "^(?!large )"), names(questions), perl = TRUE)]
}

or_empty <- function(words) if (is.null(words)) "" else words

# an answer, or the reason why there is none, and the seconds of the processor that it took
answer_to <- function(question) {
  set.seed(1)
  before <- proc.time()
  answer <- tryCatch(
    suppressMessages(suppressWarnings(question())),
    left_out = function(e) list(left_out = conditionMessage(e)),
    error = function(e) list(refused = conditionMessage(e))
  )
  time <- proc.time() - before
  list(answer = answer, seconds = time[["user.self"]] + time[["sys.self"]])
}
