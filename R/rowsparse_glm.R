#' Exactly k features for classes, counts and censored times
#'
#' Selects exactly k features by a likelihood: of two or more classes, of counts, or of times until
#' an event, some of them censored. New is the objective, with a proof that no other k features have
#' a lower one; predictions are not better than those of other methods here. On samples left out
#' concordance and deviance tie with a lasso whose features are refitted, with [cdlsr()] on
#' martingale residuals and, for classes, with the default method of [rowsparse()].
#'
#' @section The problem:
#' \deqn{\min_{b_0, B} \; L(b_0 + X_c B) + \frac{\mathrm{ridge}}{2} \|B\|^2 \quad \mathrm{s.t.}
#' \quad B \mathrm{\ has\ } k \mathrm{\ nonzero\ rows},}{
#' min L(b0 + Xc B) + ridge/2 ||B||^2 s.t. B has k nonzero rows,}
#' where \eqn{X_c}{Xc} holds the centred features (divided by their standard deviation with
#' `scale = TRUE`) and L is the log likelihood of the saturated model less that of the linear
#' predictors H: with weights u,
#' \tabular{ll}{
#'   `"binomial"` \tab sum of u (log(1 + exp(h)) - y h) \cr
#'   `"multinomial"` \tab sum of u (log(sum over l of exp(h_l)) - h_y) \cr
#'   `"poisson"` \tab sum of u (exp(h) - y h) \cr
#'   `"cox"` \tab sum over events of u (log(sum of u exp(h) over those at risk) - h)
#' }
#' less its least value. Ties of times are treated as Breslow does. Intercepts are not penalised;
#' cox has none. A feature has one row of coefficients for all classes of `"multinomial"`.
#'
#' @section Solvers:
#' `"exchange"` is the search of [cdlsr()], whose values are those of Newton's method on each set;
#' which sets are tried is told by a quadratic model. A second start is the set that least squares
#' choose for the gradient at no features.
#'
#' `"exact"` proves that no set of k features is better, by branch and bound. L is convex, so with
#' any predictors H and the gradient g of L there, whose columns sum to 0, a set T has at least
#' \deqn{L(H) - \langle g, H \rangle - \sum_{j \in T} \|x_j'g\|^2 / (2 \, \mathrm{ridge}).}{
#' L(H) - <g, H> - sum over j in T of ||x_j'g||^2 / (2 ridge).}
#' It needs a ridge; 1e-4 n changes little. It is fast for tens to some hundreds of features that
#' stand out, and stays open where many sets are nearly as good. All claims hold to within `tol` of
#' the null deviance.
#'
#' @inheritParams cdlsr
#' @param x Data that hold the samples, in memory, see [rowsparse_data].
#' @param y Response. Two classes, or 0 and 1, or a matrix with columns of successes and failures
#'   (`"binomial"`); classes (`"multinomial"`); numbers of at least 0 (`"poisson"`);
#'   `survival::Surv(time, status)` of right-censored times, or a matrix with columns `time` and
#'   `status`, 1 for an event (`"cox"`). In a formula `Surv()` is found if survival is installed.
#' @param family `"binomial"`, `"multinomial"`, `"poisson"` or `"cox"`; also a family of
#'   [stats::family()] with its canonical link. `NULL`: `"cox"` for censored times.
#' @param solver `"exchange"`, the default, or `"exact"`, with a proof. See Solvers.
#' @param ridge Ridge penalty, on the scale of the objective: a number of at least 0, or `"cv"`, the
#'   one of 0.001 n, 0.01 n and 0.1 n (n: the sum of the weights) with the least deviance of samples
#'   left out, by up to five folds without random numbers. 0 is refused where features separate the
#'   classes, whose coefficients have no end.
#' @param signs Signs of coefficients: 1 or -1 for all features, or a vector of 1, -1 and 0 (any)
#'   with an element for each feature or with names of features, the others being free. Not for
#'   `"multinomial"`.
#' @param offset A number for each sample that is added to its linear predictor, such as the
#'   logarithm of an exposure; in a formula `offset(log(exposure))`. Not for `"multinomial"`. New
#'   data must have it, see `predict()`.
#' @param block Refused: `include` the indicators of its levels.
#' @return A list of class `c("rowsparse_glm", "cdlsr", "rowsparse")` with the elements of
#'   [rowsparse_fit] and of [cdlsr()], where `objective` is that of the problem above, and
#'   \item{explained, scores, gains}{shares of the null deviance}
#'   \item{path}{also `deviance` and `intercept` of each size; `ic` is the deviance with the penalty
#'     of [cdlsr()]}
#'   \item{ridge_choice}{with `errors` the deviances relative to those without features}
#' @references
#' Cox (1972) Regression models and life-tables. Journal of the Royal Statistical Society B 34,
#' 187-220.
#'
#' Breslow (1974) Covariance analysis of censored survival data. Biometrics 30, 89-99.
#' \doi{10.2307/2529620}
#'
#' McCullagh and Nelder (1989) Generalized linear models, second edition. Chapman and Hall.
#' @seealso [cdlsr()] for numbers; [predict.rowsparse_glm()]
#' @examples
#' fit <- rowsparse_glm(mtcars[, 2:7], mtcars$am, k = 2, family = "binomial")
#' fit
#' coef(fit, k = 1)
#' fit <- rowsparse(carb ~ . + offset(log(hp)), data = mtcars, k = 2, family = "poisson")
#' head(predict(fit, mtcars))
#' @export
rowsparse_glm <- function(x, y = NULL, k, family = NULL, solver = c("exchange", "exact"),
                          ridge = "cv", signs = NULL, scale = TRUE,
                          control = rowsparse_control(), path = TRUE, time_limit = 60,
                          weights = NULL, offset = NULL, include = NULL, exclude = NULL,
                          block = NULL, assay = NULL, groups = NULL, rules = NULL) {
  run_method("rowsparse_glm")
}

descriptor_rowsparse_glm <- function() {
  descriptor(rowsparse_glm,
    rules = list(ridge = check_glm_ridge, time_limit = number(0), family = check_family),
    control = list(tol = 1e-9, maxit = 100L), input = c("dense", "sparse"), check = check_glm,
    problem = family_problem, solve = solve_glm, build = new_cdlsr,
    respond = function(y, n, given) family_response(y, n, given[["family"]]),
    responses = c("class", "family"), bytes = glm_bytes, include = "given", family = "regression",
    sees = "labels", weighted = TRUE, points = points_proved("rowsparse_glm"),
    largest = function(data, given) {
      largest_with_ridge(data, list(ridge = or_default(given[["ridge"]], "cv")))
    }, sizes = function(given) {
      if (chosen(given, "solver", rowsparse_glm) == "exchange") css_sizes(given) else "refit"
    },
    title = "Exactly k features for classes, counts and censored times",
    reference = "doi:10.2307/2529620", cost = "O(n d k c) per set"
  )
}

check_glm_ridge <- function(ridge, argument) {
  if (is.character(ridge)) check_choice(ridge, argument, "cv") else check_ridge(ridge, argument)
}

# a centred copy of the data, what the quadratic models keep, and the products of proofs
glm_bytes <- function(s) {
  each <- s$n * s$d + s$classes * (s$d * (2 * s$k + 20) + s$n * (3 * s$k + 20))
  8 * (each + if (s$solver == "exact") 3 * min(s$d, 600)^2 + s$n * min(s$d, 600) else 0)
}

check_glm <- function(args, data) {
  refuse_if(!is.null(adjustment(data)), "argument", "block", "must be left out",
    way_out = "`include` indicators of its levels, as columns of `x`"
  )
  args$y <- usable_response(sample_column(args[["x"]], args[["y"]], "y"))
  refuse_if(is.null(args[["y"]]), "type", "y", "must be given: rowsparse_glm is supervised")
  args$family <- family_of(args[["family"]], args$y)
  for (name in c("signs", "offset")) {
    refuse_if(args$family == "multinomial" && !is.null(args[[name]]), "argument", name,
      "must be left out for family \"multinomial\"", describe(args[[name]])
    )
  }
  proved <- args$solver == "exact"
  refuse_if(proved && identical(args$ridge, 0), "range", "ridge", "must be above 0 for a proof",
    "0", "1e-4 n changes little"
  )
  refuse_if(proved && is_grouped(data), "groups", "solver", "must be \"exchange\" with `groups`",
    "\"exact\""
  )
  args["sign"] <- list(check_signs(args[["signs"]], data))
  offset <- sample_column(args[["x"]], args[["offset"]], "offset")
  args["offset"] <- list(check_offset(offset, or_default(data$observed$samples, data$n)))
  with_sizes(args, data)
}

# a number for each of n samples, or NULL, which zeros are as well
check_offset <- function(offset, n, argument = "offset") {
  if (is.null(offset)) {
    return(NULL)
  }
  refuse_if(!is_plain_numeric(offset) || length(offset) != n, "length", argument,
    sprintf("must be one number per sample (%.0f)", n), describe(offset)
  )
  offset <- check_finite_numbers(as.double(offset), argument)
  if (any(offset != 0)) offset
}

# 1, -1 or 0 for each of the features that are left; NULL if all are free
check_signs <- function(signs, data) {
  if (is.null(signs)) {
    return(NULL)
  }
  view <- view_of(data)
  refuse_if(!is_plain_numeric(signs) || !all(signs %in% -1:1), "range", "signs",
    "must be 1, -1 or 0", describe(signs)
  )
  if (!is.null(names(signs))) {
    at <- feature_columns(names(signs), "signs", view$d, view$names)
    signs <- replace(numeric(view$d), at, signs)
  }
  refuse_if(!length(signs) %in% c(1L, view$d), "length", "signs",
    sprintf("must be one number, one for each feature (%d), or have names of features", view$d),
    length(signs)
  )
  signs <- as.integer(rep_len(signs, view$d)[view$kept])
  if (any(signs != 0L)) signs
}

# data in units, and the response with what belongs to its samples, see family.R
family_problem <- function(whole, args) {
  data <- in_binary_units(whole)
  y <- observed_response(args$y, whole)
  response <- family_response(y, whole$n, args$family)
  if (!is.null(response[["trials"]])) response$y <- y # which the fit keeps as it was given
  response["weights"] <- list(whole$observed$weight)
  offset <- args[["offset"]]
  if (!is.null(offset)) response$offset <- as.double(observed_response(offset, whole))
  response <- with_risk_sets(response)
  classes <- ncol(response$Y)
  response[c("unit", "mean", "rank")] <- list(1, numeric(classes),
    classes - (response$family == "multinomial")
  )
  response["sign"] <- list(args[["sign"]])
  list(data = data, given = whole, response = response)
}

# ---- the search --------------------------------------------------------------------------

solve_glm <- function(problem, args, control) {
  response <- problem$response
  choice <- if (identical(args$ridge, "cv")) choose_family_ridge(problem, args, control)
  args$ridge <- or_default(choice$ridge, args$ridge)
  ridge <- ridge_in_units(args$ridge, problem$data)
  warn_few_events(response, args$k)
  begin <- list(forward = TRUE, sets = gradient_set(problem, args, ridge, control))
  found <- find_sets(problem$data, response, args, control, usual_perturbations(problem$data),
    ridge, begin
  )
  response$total <- found$out$none$total
  response$mean <- found$out$none$intercept
  if (args$ridge == 0) {
    found$out <- without_dependent(found$out, problem$data, response)
    check_separation(problem, found$out$subset, response)
  }
  out <- complete_set(found, args$k, problem$data, response$total)
  tell_bound_by_signs(out$subset, problem)
  list(
    # half of it, as the objective has
    response = response, out = out, ridge = args$ridge / 2, proof = found$proof,
    ridge_choice = choice, parameters = list(
      k = args$k, family = args$family, solver = args$solver, ridge = args$ridge,
      signs = args[["signs"]]
    )
  )
}

# find_units(), with fits to a family as those of least squares are: `explained` of the last set by
# its members
find_fits <- function(data, response, groups, settings) {
  if (settings$value != "family") {
    return(find_units(data, response, groups, settings))
  }
  found <- find_family(data, response, groups, settings)
  # the objective of least squares is twice the loss
  own <- c("gains", "alone", "explained", "forward")
  found[own] <- lapply(found[own], `*`, found$unit)
  found$by_regression <- lapply(found$by_family, function(fit) {
    fit[c("objective", "loss")] <- lapply(fit[c("objective", "loss")], `*`, found$unit)
    if (length(fit$intercept) > 1L) fit$intercept <- fit$intercept - mean(fit$intercept)
    explained <- found$total - fit$objective
    c(fit, list(explained = explained, response_explained = explained))
  })
  found$by_regression[[length(found$by_regression)]]$explained <- found$explained
  found$none <- list(total = found$total, intercept = found$none$intercept)
  if (!all(vapply(found$by_family, `[[`, NA, "converged"))) {
    found[c("converged", "status")] <- list(FALSE, "iteration limit reached")
  }
  found
}

# what a fit keeps of the response beside kept_response()
family_fit <- function(response) {
  c(
    response[intersect(c("Y", "offset", "trials", "order", "last"), names(response))],
    list(null_deviance = 2 * response$total, saturated = saturated_likelihood(response))
  )
}

# The set that least squares choose for the gradient at no features, a second start
gradient_set <- function(problem, args, ridge, control) {
  if (searches_groups(problem$data)) {
    return(NULL)
  }
  plain <- list(Y = gradient_at_none(problem$response), type = "numeric", names = NULL)
  plain <- centre_response(plain, NULL, problem$data$observed)
  args[c("solver", "path")] <- list("exchange", FALSE)
  found <- find_sets(problem$data, plain, args, control, 0L, max(ridge, 1e-4 * problem$data$n))
  set <- c(found$out$subset$selected, found$locked$lost)
  if (length(set) == args$k) matrix(set, 1)
}

gradient_at_none <- function(response) {
  Y <- response$Y
  switch(response$family, poisson = log1p(Y),
    cox = martingale_residuals(response, cbind(or_default(response$offset, numeric(nrow(Y))))), Y
  )
}

warn_few_events <- function(response, k) {
  events <- sum(response$Y)
  if (response$family == "cox" && events < 2 * k) {
    warn_rowsparse("events", sprintf(
      "k = %d with %s: less than two for a feature leave room for chance.", k,
      count_of(events, "event")
    ))
  }
}

# Without a ridge: the raw result without features that depend on others of their set, which only a
# ridge would tell apart
without_dependent <- function(out, data, response) {
  independent <- function(set) {
    decomposition <- qr(.Call(C_columns, unclass(data), set), tol = 1e-7)
    set[sort(decomposition$pivot[seq_len(decomposition$rank)])]
  }
  set <- out$subset$selected
  kept <- independent(set)
  if (length(kept) < length(set)) {
    others <- out$subset[c("gains", "alone")]
    out$subset <- refitted_set(data, response, kept)$subset
    out$subset[names(others)] <- others
    out$objective[length(out$objective)] <- out$subset$objective
    whole <- lengths(lapply(out$path$features, independent)) == seq_along(out$path$features)
    out$path <- lapply(out$path, `[`, cumsum(!whole) == 0L)
  }
  out
}

# Without a ridge: coefficients that have no end. A little of a ridge moves them far.
check_separation <- function(problem, subset, response) {
  data <- problem$data
  little <- 1e-6 * or_default(data$observed$total, data$n) / data$unit^2
  near <- refitted_set(data, response, subset$selected, little)$subset
  b <- subset$coefficients * sqrt(data$square[subset$selected] / data$n)
  moved <- near$coefficients[match(subset$selected, near$selected), , drop = FALSE] *
    sqrt(data$square[subset$selected] / data$n)
  endless <- abs(b - moved) > 0.1 * (1 + abs(b)) | abs(b) > 1e3
  wrong <- rowSums(endless) > 0
  if (subset$objective < 1e-6 * response$total) wrong[] <- TRUE
  refuse_if(any(wrong), "separation", "ridge",
    "must be above 0: classes are separated by these features, or counts have no end",
    labels_of(subset$selected[wrong], data), "Take ridge > 0"
  )
}

# members that their sign allows nothing but 0
tell_bound_by_signs <- function(subset, problem) {
  idle <- subset$selected[rowSums(subset$coefficients != 0) == 0]
  if (!is.null(problem$response[["sign"]]) && length(idle) > 0L) {
    warn_rowsparse("rank", sprintf(
      "%s of the set change nothing, as `signs` allows them no coefficient but 0: %s.",
      count_of(length(idle), "feature"), labels_of(idle, problem$data)
    ))
  }
}

# ---- the ridge by held-out deviance ----------------------------------------------------------

glm_ridge_shares <- c(0.001, 0.01, 0.1)

# as choose_ridge(); the deviance of samples left out is that of all of them less that of the
# training samples, both by the coefficients of the latter, so that risk sets stay whole
choose_family_ridge <- function(problem, args, control) {
  response <- problem$response
  x <- ridge_task(problem$given, NULL)$x
  refuse_if(nrow(x) < 4L, "range", "ridge", "must be a number for fewer than 4 samples", "\"cv\"")
  count <- min(5L, nrow(x), if (response$type == "class") max(2, tabulate(response$class)))
  fold <- ordered_folds(count, with_order(response), x)
  loss <- rowSums(vapply(seq_len(count), function(out) {
    losses_left_out(problem, x, which(fold != out), args, control)
  }, numeric(1L + length(glm_ridge_shares))))
  ridge_of_least(loss, glm_ridge_shares, sum(sample_sizes(response, nrow(x))), count)
}

# without features, and with each ridge
losses_left_out <- function(problem, x, rows, args, control) {
  whole <- problem$given
  groups <- if (is_grouped(whole)) inner_of(whole)
  locked <- if (is.null(groups)) whole$locked else unique(groups[whole$locked])
  train <- in_binary_units(quietly(as_data(x[rows, , drop = FALSE], isTRUE(whole$scaled),
    include = locked, weights = whole$observed$weight[rows], groups = groups
  )))
  response <- part_of_response(problem$response, rows)
  response["sign"] <- list(response[["sign"]][view_of(train)$kept])
  size <- sum(sample_sizes(response, length(rows)))
  args[c("solver", "path")] <- list("exchange", FALSE)
  args$k <- min(args$k, varying_units(train))
  judged <- function(values, intercept) {
    link <- link_with(values, intercept, problem$response)
    sum(family_losses(problem$response, link)) -
      sum(family_losses(response, link[rows, , drop = FALSE]))
  }
  outs <- lapply(glm_ridge_shares * size, function(ridge) {
    find_sets(train, response, args, control, 0L, ridge_in_units(ridge, train))$out
  })
  c(
    judged(matrix(0, nrow(x), ncol(response$Y)), outs[[1]]$none$intercept),
    vapply(outs, function(out) {
      set <- out$subset$selected
      slope <- out$subset$coefficients * or_default(train$weight[set], 1) / train$unit
      values <- as.matrix(x[, outer_index(set, train), drop = FALSE])
      judged(sweep(values, 2, train$mean[set]) %*% slope, out$subset$intercept)
    }, 0)
  )
}

# predictors of the samples of the fit
link_with <- function(values, intercept, response) {
  values + rep(intercept, each = nrow(values)) + or_default(response[["offset"]], 0)
}
