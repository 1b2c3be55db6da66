#' CD-LSR: exactly k features for a response
#'
#' Selects exactly k features that predict a response best by least squares. The response may be
#' classes, or one or several numbers per sample. The fit holds the best sets of all sizes up to k,
#' predicts, and with `solver = "exact"` proves that no other set is better. [cv_rowsparse()]
#' chooses k.
#'
#' @section The problem:
#' \deqn{\min_W \; \|Y_c - X_c W\|^2 + \mathrm{ridge} \, \|W\|^2 \quad \mathrm{s.t.} \quad
#' W \mathrm{\ has\ } k \mathrm{\ nonzero\ rows},}{
#' min ||Yc - Xc W||^2 + ridge ||W||^2 s.t. W has k nonzero rows,}
#' where \eqn{X_c}{Xc} holds the centred features (divided by their standard deviation with
#' `scale = TRUE`) and \eqn{Y_c}{Yc} the centred response: one indicator column per class, or the
#' numbers given. With [groups], k counts groups, and whole groups have nonzero rows.
#'
#' @section Solvers:
#' `"exchange"` starts from forward selection (each step adds the feature that lowers the objective
#' most) and exchanges single features as long as an exchange lowers the objective, all coefficients
#' refitted. It then goes on from the lowest end with some features replaced, by draws that are the
#' same in every call, until 20 such sets in a row are no better (60 with few features). Of
#' thousands of features these sets, and those of the sizes before k, take the 100 k, or 15000 / k
#' if these are fewer (at least 200 more than k), that have come nearest to a place; exchanges at k
#' try all features.
#'
#' `"cd"` is the coordinate descent of the paper: with V the coefficients of the set, each position
#' in turn takes the feature that is best with V fixed; then V is refitted, in five sweeps or more,
#' until three in a row change the objective by at most `tol` (relative).
#'
#' `"exact"` proves that no set of k features is better, starting from the result of `"exchange"`.
#' With `ridge > 0`, or more samples than features, it is a branch and bound on the perspective
#' relaxation. Let A = Xc'Xc + ridge I, C = Xc'Yc, and D > 0 a diagonal with M = A - D positive
#' semidefinite. For every coefficient matrix B,
#' \deqn{\|Y_c\|^2 - \langle B, M B \rangle - \sum_{j \in T} \|C_j - (M B)_j\|^2 / D_j}{
#' ||Yc||^2 - <B, M B> - sum over j in T of ||C_j - (M B)_j||^2 / D_j}
#' bounds the objective of the set T from below. Without a ridge and with fewer samples than
#' features no such D exists, and sets are bounded by the eigenvalues of the residual response:
#' k = 3 can be proved for some thousand features, k = 4 for hundreds. A proof is fast where
#' relevant features stand out, and stays open where many sets are nearly as good: strongly
#' dependent features with k of 10 and more, sizes below the number of relevant features, few
#' samples (`bench/results/exact.md` of the sources).
#'
#' All claims hold to within `tol` of \eqn{\|Y_c\|^2}{||Yc||^2}, rounding included. A feature counts
#' as dependent on others when its residual, given the others, is at most 16 times 2.2e-16 of its
#' norm before centring, and 3e-5 of that after it; [moments()] resolve only features that keep 1e-4
#' of their norm. Where a feature with less could make a better set, or a set leaves less of the
#' response than `tol` and more than rounding, `"exact"` says "not proved" and `proof$resolved` is
#' `FALSE`. Of features whose gains differ by less than 1e-10 of the largest, the one with the
#' largest variance before scaling comes first. One in `include` that is constant or depends on
#' others there changes nothing.
#'
#' @section The number of features:
#' With `solver = "exchange"` and a forward start the fit holds the best sets found for every size
#' 1, ..., k, never worse than forward selection. `coef()`, `predict()` and [selected()] take any of
#' these sizes. `path$ic` is the criterion (Fan and Tang, 2013)
#' \deqn{n c \log(\mathrm{RSS} / (n c)) + k c \log(d) \log(\log n)}{
#' n c log(RSS / (n c)) + k c log(d) log(log n)}
#' with c the number of linearly independent responses, `NA` for k above n / (log(d) log(log n)),
#' where its penalty no longer protects.
#'
#' @inheritParams bsufs
#' @param x Data, see [rowsparse_data]; [moments()] made with a response serve without `y`.
#' @param y Response: classes or numbers, see "What y is" in [rowsparse_data]. Numbers may be a
#'   vector, or a matrix or data frame with one response per column.
#' @param k Number of features: at most min(n - 1, features that vary), or with `ridge > 0` the
#'   number of features that vary. With `solver = "exact"` also several numbers, proved by one
#'   search: the fit is that of the largest one, and its `path` holds the proofs of all.
#' @param solver `"exchange"`, the default, `"cd"`, the published coordinate descent, or `"exact"`,
#'   with a proof that no set is better, where time allows. See Solvers.
#' @param start Where the descent starts: `"forward"` selection, `"random"` sets, or an integer
#'   matrix of starting sets of column indices, one per row.
#' @param starts Number of starts. With `start = "forward"` all but the first are random, with
#'   `"random"` all are. The element `runs` has their results.
#' @param seed A whole number from which random starts are drawn; the state of R's generator is
#'   neither used nor changed. `NULL`: `set.seed()` governs them.
#' @param ridge Ridge penalty: how strongly coefficients are shrunk.
#'   * A number of at least 0, on the scale of the objective (features of standard deviation 1 have
#'     squared norm n - 1). 0, the default, is plain least squares; above 0 it is needed for k >= n.
#'   * `"cv"`, what [rowsparse()] takes for numbers: the one of 0.0003 n, 0.003 n, 0.03 n and 0.3 n
#'     with the least squared error on held-out samples in five-fold cross-validation (three folds
#'     and the three larger penalties where n d is above 1e6), without random numbers. Take it also
#'     for features that are constant but for a few samples, which they fit exactly without a ridge.
#'   * `"pillai"`, what [rowsparse()] takes for classes: the set maximises Pillai's trace with a
#'     ridge of a tenth of the samples, see there, so that small classes count as large ones do.
#' @param scale Divide features by their standard deviation? As in the paper, yes.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-9 for exchanges and proofs
#'   (the least gain that counts, relative to \eqn{\|Y_c\|^2}{||Yc||^2}) and 1e-4 for `"cd"`;
#'   `maxit` 100 sweeps.
#' @param path Keep the sets of every size up to k, for `coef()` and `predict()`? `FALSE` saves
#'   time.
#' @param weights Observation weights: a number of at least 0 per sample (for a
#'   `SummarizedExperiment` also the name of a column of `colData(x)`), or `NULL` for ones;
#'   `"balanced"` gives every class of y the same total weight. Samples of weight 0 are left out.
#'   Whole numbers are counts: the fit is that of the repeated samples (but folds keep a sample
#'   whole, and `nobs()` counts rows, as in [lm()]). Others are relative: scales and probabilities
#'   are those of n samples of average weight. Sparse data are made dense; where they are too large
#'   for this, add [moments()] of parts of the samples, with their `weights`. Not with `block`.
#' @param signs The sign of coefficients of one numeric response: 1 (none below 0) or -1 for all
#'   features; or a number 1, -1 or 0 (any) for each, or for those of its names. In the search and
#'   in the proof. `ridge = "cv"` is chosen without them.
#' @param rules Rules that the panel must obey beside its size, from [panel_rules()].
#' @param time_limit Seconds of elapsed time, from the call on, after which `"exact"` stops and
#'   reports the gap. At most half of it goes into a good set; if this half ends before the sets of
#'   all sizes are known, the fit holds only the last one.
#'
#' @return A list of class `c("cdlsr", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{selected}{the k features in the order in which forward selection within the set takes
#'     them}
#'   \item{scores}{for selected features 1 + the share of \eqn{\|Y_c\|^2}{||Yc||^2} not yet
#'     explained when the feature enters; for the others the share that the feature would add}
#'   \item{gains}{for all features the share that each adds when it enters, or would add}
#'   \item{loadings}{W, d x c, on the scale of the objective; see [coef()]}
#'   \item{explained}{share of \eqn{\|Y_c\|^2}{||Yc||^2} that the selected features reproduce;
#'     `response$explained` has the share of each response}
#'   \item{path, k_ic}{list of `k`, `objective`, `forward` (objective of forward selection alone),
#'     `explained`, `ic`, and lists `features` and `coefficients` by size; for `"exact"` also
#'     `bound`, `gap` and `proved` of the sizes in `k`, `NA` for others. The size of lowest `ic`}
#'   \item{ridge_choice}{for `ridge = "cv"`: the chosen `ridge`, its `share` (of n), the number of
#'     `folds`, and `errors` of all ridges on the held-out samples, relative to that of the mean}
#'   \item{runs}{`objective`, `sweeps`, `converged` and final `sets` (one per row) of every start}
#'   \item{proof}{for `"exact"`: `complete` (proved), `resolved` (`FALSE` when rounding prevents a
#'     proof), `nodes` (branched on), `seconds`, `dropped` and `joined` (features that no better set
#'     holds, and that every one does), and `trace`: over `seconds`, the share that the best set
#'     explains (`value`) and the share that no set exceeds (`bound`)}
#'
#'   With fewer than k linearly independent features (a warning of class `rowsparse_warning_rank`)
#'   the set is filled up with features that change nothing.
#'
#' @references
#' Xu, Wang, Nie and Li (2023) Efficient top-k feature selection using coordinate descent method.
#' Proceedings of the AAAI Conference on Artificial Intelligence 37, 10594-10601.
#' \doi{10.1609/aaai.v37i9.26258}
#'
#' Chen, Billings and Luo (1989) Orthogonal least squares methods and their application to
#' non-linear system identification. International Journal of Control 50, 1873-1896.
#' \doi{10.1080/00207178908953472}
#'
#' Xie and Deng (2020) Scalable algorithms for the sparse ridge regression. SIAM Journal on
#' Optimization 30, 3359-3386. \doi{10.48550/arXiv.1806.03756}
#'
#' Furnival and Wilson (1974) Regressions by leaps and bounds. Technometrics 16, 499-511.
#' \doi{10.1080/00401706.1974.10489231}
#'
#' Fan and Tang (2013) Tuning parameter selection in high dimensional penalized likelihood. Journal
#' of the Royal Statistical Society B 75, 531-552. \doi{10.1111/rssb.12001}
#' @seealso [cv_rowsparse()], [css()] for the same problem without a response, [pgd()] for another
#'   solver of the problem, [rfs()] for a ranking by a convex problem
#' @examples
#' fit <- cdlsr(iris[, 1:4], iris$Species, k = 2)
#' summary(fit)
#' coef(fit, k = 1)
#' table(predict(fit, iris, type = "class"), iris$Species)
#' @export
cdlsr <- function(x, y = NULL, k, solver = c("exchange", "cd", "exact"),
                  start = c("forward", "random"), starts = 1, ridge = 0, scale = TRUE,
                  control = rowsparse_control(), path = TRUE, time_limit = 60, weights = NULL,
                  include = NULL, exclude = NULL, seed = NULL, block = NULL, assay = NULL,
                  groups = NULL, rules = NULL, signs = NULL) {
  run_method("cdlsr")
}

# several sizes are for proofs
check_cdlsr <- function(args, data) {
  args["sign"] <- list(check_signs(args[["signs"]], data))
  if (!is.null(args[["sign"]])) check_beside_signs(args, data)
  args <- with_sizes(args, data)
  args$begin <- with_seed(args$seed, starting_sets(args$start, args$starts, args$k, data))
  args
}

# coefficients of one sign are found by the search that likelihoods have
check_beside_signs <- function(args, data) {
  refuse_if(!data$kind %in% c("dense", "sparse"), "type", "x",
    "must hold the samples themselves, in memory, with `signs`", data$kind
  )
  refuse_if(args$solver == "cd", "choice", "solver",
    "must be \"exchange\" or \"exact\" with `signs`", quoted("cd")
  )
  refuse_if(args$solver == "exact" && identical(args$ridge, 0), "range", "ridge",
    "must be above 0 for a proof with `signs`", "0", "1e-4 n changes little"
  )
}

with_sizes <- function(args, data) {
  k <- args$k
  several <- args$solver == "exact" && is.numeric(k) && length(k) > 1L
  args$sizes <- if (several) {
    sort(unique(vapply(k, check_size, 1L, data = data, ridge = args$ridge)))
  } else {
    check_size(k, data, args$ridge)
  }
  args$k <- max(args$sizes)
  args$path <- args$path || several
  args
}

solve_cdlsr <- function(problem, args, control) {
  if (is_pillai(args$ridge)) {
    problem$response <- pillai_response(problem$response, problem$data)
    args$ridge <- problem$response$ridge
  }
  choice <- if (identical(args$ridge, "cv")) {
    choose_ridge(problem, sample_column(args$x, args$y, "y"), args$k, control)
  }
  args$ridge <- or_default(choice$ridge, args$ridge)
  refuse_if(!is.null(args[["sign"]]) && length(problem$response$squares) > 1L,
    "type", "y", "must be one numeric response with `signs`", problem$response$text)
  problem$response["sign"] <- list(args[["sign"]])
  found <- find_in_few_passes(problem, args, control)
  tell_bound_by_signs(found$out$subset, problem)
  out <- complete_set(found, args$k, problem$data, problem$response$total)
  list(
    response = problem$response, out = out, ridge = args$ridge, proof = found$proof,
    ridge_choice = choice, parameters = list(
      k = args$k, solver = args$solver, start = args$begin$name, starts = nrow(out$starts$sets),
      ridge = args$ridge, signs = args[["signs"]]
    )
  )
}

# The search on row blocks: first by the cross-products of the blocks with themselves and the
# response. If these leave it `unsure`, as nearly dependent features do, the search runs again on
# all samples at once or, if these do not fit into memory, block by block.
find_in_few_passes <- function(problem, args, control) {
  data <- problem$data
  response <- problem$response
  ridge <- ridge_in_units(args$ridge, data)
  find <- function(data, response) {
    find_sets(data, response, args, control, usual_perturbations(data), ridge, args$begin)
  }
  if (data$kind == "blocks" && fits_cross_products(data)) {
    found <- find(second_moments(data), crossed_response(response, data))
    unsure <- isTRUE(found$out$doubtful) || isFALSE(found$proof$resolved)
    if (!unsure || searches_groups(data) && !can_be_held(data_sizes(data))) {
      return(found)
    }
  }
  if (data$kind == "blocks" && can_be_held(data_sizes(data))) data <- hold_blocks(data, "cdlsr")
  find(data, response)
}

# perturbations in a row that lead to nothing: more of few features
usual_perturbations <- function(data) {
  if (is_ruled(data)) group_perturbations(data) else as.integer(min(max(4e4 / data$d, 20), 60))
}

# products with row blocks in the place of the response
crossed_response <- function(response, data) {
  response$B <- .Call(C_cross, unclass(data), response$Y, ncol(response$Y))
  response$Y <- NULL
  response
}

# list(out, proof, locked): the raw result of a search of cdlsr() or css(), and the proof
find_sets <- function(data, response, args, control, perturb, ridge = 0,
                      begin = list(forward = TRUE), work = Inf, of_css = FALSE) {
  left <- function() if (args$solver == "exact") time_left(args$started, args$time_limit)
  path <- args$path && !is_ruled(data)
  if (searches_groups(data)) {
    return(find_groups(data, response, args$k, ridge, path, control, perturb, left(),
      args$solver != "forward"
    ))
  }
  locked <- resolve_locked(data, response, args$k, ridge)
  settings <- subset_settings(args$k - length(locked$lost), args$solver, path, begin$forward, ridge,
    control, perturb, work
  )
  # half of the time at most for a good set, the rest for the proof
  if (args$solver == "exact") settings$seconds <- left() / 2
  settings$verbose <- as.integer(isTRUE(control$verbose))
  if (!is.null(begin$sets)) { # all of which hold the lost ones
    starts <- t(begin$sets)
    settings$starts <- matrix(starts[!starts %in% locked$lost], settings$k)
  }
  out <- if (args$solver == "forward" && is.null(response)) {
    forward_css(locked$data, settings)
  } else {
    search_sets(locked$data, response, settings)
  }
  proved <- prove_found(locked$data, response, out, settings, args, locked, left(), of_css)
  c(proved, list(locked = locked))
}

search_sets <- function(data, response, settings, sets = NULL) {
  if (!is.null(sets)) settings$starts <- t(sets)
  settings[c("value", "sign")] <- list(value_for(response), response[["sign"]])
  raw_sets(find_fits(data, core_response(response), NULL, settings))
}

# what the core measures sets by: least squares with signs, too, by the likelihood
value_for <- function(response) {
  if (is.null(response[["family"]]) && is.null(response[["sign"]])) "lsq" else "family"
}

# The raw result: `subset`, the set with its coefficients and what others would add; the objective
# after each sweep; the ends of all starts; those sets of all sizes whose features are independent
raw_sets <- function(found) {
  fits <- found$by_regression
  last <- fits[[length(fits)]]
  objective <- pmax(found$total - found$course, 0)
  objective[length(objective)] <- last$objective
  ends <- replace(pmax(found$total - found$end_values, 0), found$best, last$objective)
  independent <- lengths(lapply(fits, `[[`, "selected")) >= seq_along(fits)
  told <- fits[cumsum(!independent) == 0L]
  list(
    subset = c(last, found[c("gains", "alone")]), objective = objective,
    iterations = found$sweeps, converged = found$converged, status = found$status,
    doubtful = found$doubtful, none = found$none, starts = list(
      objective = ends, sweeps = found$end_sweeps, converged = found$end_converged > 0L,
      sets = found$end_sets
    ),
    path = if (found$sizes) {
      list(
        explained = vapply(told, function(fit) max(fit$explained), 0),
        objective = vapply(told, `[[`, 0, "objective"),
        forward = pmax(found$total - found$forward[seq_along(told)], 0),
        features = lapply(told, `[[`, "selected"),
        coefficients = lapply(told, `[[`, "coefficients"),
        intercept = lapply(told, `[[`, "intercept")
      )
    }
  )
}

# the raw result for a given set, without any descent
refitted_set <- function(data, response, set, ridge = 0) {
  control <- list(tol = 0, maxit = 1L)
  settings <- subset_settings(length(set), "forward", FALSE, FALSE, ridge, control)
  search_sets(data, response, settings, matrix(as.integer(set), 1))
}

# what the C code reads of a response
core_response <- function(response) {
  if (value_for(response) == "lsq") {
    return(response[intersect(c("Y", "B", "total", "reach"), names(response))])
  }
  if (is.null(response[["family"]])) {
    return(list(family = "gaussian", Y = response$Y))
  }
  if (!is.null(response[["trials"]])) response$weights <- sample_sizes(response, nrow(response$Y))
  response[intersect(c("family", "Y", "weights", "offset", "order", "last"), names(response))]
}

subset_settings <- function(k, solver = "exchange", path = FALSE, forward = TRUE, ridge = 0,
                            control = list(tol = 1e-9, maxit = 100L), perturb = 0L, work = Inf) {
  cd <- solver == "cd"
  if ("perturb" %in% getOption("rowsparse.search_without")) perturb <- 0L # bench/ablation.R
  find_settings("lsq", k, exchange = solver %in% c("exchange", "exact"),
    sizes = path && forward && !cd, forward = forward, perturb = perturb,
    tol = if (cd) 0 else control$tol, maxit = control$maxit, sweeps = cd,
    cd_tol = if (cd) control$tol else 0, perturb_work = work, ridge = ridge
  )
}

# ---- input -----------------------------------------------------------------

# the ridge penalty that belongs to data in units
ridge_in_units <- function(ridge, inside) check_number(ridge / inside$unit / inside$unit, "ridge")

# The centred response in its unit: Y, or B = Xc'Yc from moments; sums of squares. `data` in
# theirs, see in_binary_units()
prepare_response <- function(data, x, y) {
  if (data$kind == "moments") {
    return(moments_response(data, x, y))
  }
  if (is.null(y)) stop_rowsparse("type", "y", "must be given unless `x` holds moments with it")
  y <- usable_response(observed_response(sample_column(x, y, "y"), data))
  refuse_survival(y)
  centre_response(as_response(y, data$n), adjustment(data), data$observed)
}

moments_response <- function(data, x, y) {
  refuse_if(!is.null(y), "type", "y", "must be left out: moments carry it, as moments(x, y)")
  refuse_if(is_sketch(data), "type", "x", "must be whole moments, without a `rank`")
  refuse_if(is.null(x$Sxy), "type", "x", "must be moments with a response: moments(x, y)", "none")
  squares <- diag(unname(x$Syy))
  varies <- squares > 0
  refuse_if(!any(varies), "constant", "y", "must vary", "a constant response")
  if (identical(x$y_type, "class")) check_class_count(sum(varies), data$n)
  total <- sum(squares)
  squares <- squares[varies]
  unit <- unit_above(sqrt(total / data$n))
  B <- inner_rows(unname(x$Sxy), data)[, varies, drop = FALSE]
  if (!is.null(data$weight)) B <- B * data$weight
  mean <- unname(x$y_mean)[varies]
  list(
    B = B / unit, type = x$y_type, levels = x$levels[varies], names = x$response_names[varies],
    text = response_text(x$y_type, sum(varies)), mean = mean, unit = unit,
    squares = squares / unit / unit, total = total / unit / unit,
    range = x$y_range[, varies, drop = FALSE],
    level_mean = unname(x$block$y_mean)[data$block$used, varies, drop = FALSE],
    YtY = unname(x$Syy)[varies, varies, drop = FALSE] / unit / unit,
    reach = max(abs(mean) / sqrt(squares / data$n))
  )
}

# a ridge lifts the limit that the number of samples sets; NULL where a method has none
check_size <- function(k, data, ridge = NULL) {
  if (!has_ridge(ridge) || is_grouped(data)) {
    most <- largest_dimension(data)
    lifts <- !is.null(ridge) && !is_grouped(data) && is_number(k) && k > most
    refuse_if(lifts && k <= varying_units(data), "range", "k",
      sprintf("must be at most %d without a ridge", most), describe(k),
      "`ridge` > 0 lifts this limit, which the samples set"
    )
    return(check_dimension(k, data, "k"))
  }
  check_group_size(k, data)
}

# forward: does a forward start come first? sets: the others, one per row
starting_sets <- function(start, starts, k, data) {
  if (is.numeric(start)) {
    return(list(name = "matrix", forward = FALSE, sets = check_sets(start, k, data)))
  }
  start <- check_choice(start, "start", c("forward", "random"))
  forward <- start == "forward"
  list(name = start, forward = forward, sets = random_sets(starts - forward, k, data))
}

# one per row, with the features that are locked in, and constant ones where no others are left
random_sets <- function(count, k, data) {
  others <- setdiff(given_order(data), data$locked)
  eligible <- others[!data$constant[others]]
  drawn <- min(length(eligible), k - length(data$locked))
  sets <- vapply(seq_len(count), function(i) {
    drawn <- eligible[sample.int(length(eligible), drawn)]
    as.integer(c(data$locked, drawn, setdiff(others, eligible)))[seq_len(k)]
  }, integer(k))
  t(matrix(sets, k, count))
}

check_sets <- function(sets, k, data) {
  if (!is.matrix(sets)) sets <- matrix(sets, 1)
  d <- view_of(data)$d
  is_set <- function(set) all(set %in% seq_len(d)) && !anyDuplicated(set)
  refuse_if(ncol(sets) != k || nrow(sets) < 1L || !all(apply(sets, 1, is_set)), "range", "start",
    sprintf("must hold sets of %d distinct columns (1 to %d), one per row", k, d), describe(sets)
  )
  sets[] <- inner_index(sets, data)
  for (at in seq_len(nrow(sets))) check_start_set(sets[at, ], data)
  refuse_if(any(data$constant[setdiff(sets, data$locked)]), "constant", "start",
    "must not hold constant features"
  )
  matrix(as.integer(sets), nrow(sets))
}

# ---- features that are locked in, and features that change nothing -------------

# list(data, lost, hidden): the included features that are linearly independent are locked in
# the data; those lost change nothing, and are put behind them by complete_set(). Cross-products
# do not tell dependent features from nearly dependent ones: hidden, if that some change nothing
# is not known.
resolve_locked <- function(data, response, k, ridge = 0) {
  asked <- as.integer(data$locked)
  set <- asked[!data$constant[asked]]
  data$locked <- NULL
  if (length(set) > 0L) {
    set <- data$locked <- refitted_set(data, response, set, ridge)$subset$selected
  }
  lost <- setdiff(asked, set)
  refuse_if(length(lost) == k, "range", "k",
    "must leave room for a feature that varies beside those in `include`", describe(k)
  )
  hidden <- is.null(response[["Y"]]) && any(!data$constant[lost])
  list(data = data, lost = lost, hidden = hidden)
}

# The raw result with the features that change nothing: those that are locked in at the end of the
# set, and at every size from the number of locked features on; and others that fill it up
complete_set <- function(found, k, data, total) {
  out <- found$out
  lost <- found$locked$lost
  if (length(lost) > 0L) {
    out$subset <- with_idle(out$subset, lost)
    sets <- out$starts$sets
    out$starts$sets <- cbind(sets, matrix(lost, nrow(sets), length(lost), byrow = TRUE))
    if (!is.null(out$path)) {
      out$path <- path_with_lost(out$path, lost, length(found$locked$data$locked), total)
    }
  }
  if (is.null(found$locked)) out else fill_rank(out, k, data)
}

# a set with features behind it that change nothing
with_idle <- function(subset, columns) {
  subset$selected <- c(subset$selected, columns)
  last <- utils::tail(c(0, subset$explained), 1)
  subset$explained <- c(subset$explained, rep(last, length(columns)))
  subset$coefficients <- with_zero_rows(subset$coefficients, length(columns))
  subset
}

with_zero_rows <- function(rows, count) rbind(rows, matrix(0, count, ncol(rows)))

# `at`: number of locked features that are independent
path_with_lost <- function(path, lost, at, total) {
  sizes <- seq_len(length(path$features) + length(lost))
  # the size of each set without the lost ones, from 0 on, and how many of these it gets
  size <- ifelse(sizes <= at, sizes, pmax(at, sizes - length(lost)))
  width <- if (length(path$coefficients) > 0) ncol(path$coefficients[[1]]) else 0L
  empty <- list(
    features = list(integer()), coefficients = list(matrix(0, 0, width)), explained = 0,
    objective = total, forward = total, intercept = list(NULL)
  )
  path <- Map(function(none, all) c(none, all)[size + 1L], empty, path[names(empty)])
  path$features <- Map(function(set, more) c(set, lost[seq_len(more)]), path$features, sizes - size)
  path$coefficients <- Map(with_zero_rows, path$coefficients, sizes - size)
  path
}

# Fewer than k independent features: the rest changes nothing. It follows by what
# each explains alone, then by variance.
fill_rank <- function(out, k, data, prefer = integer()) {
  chosen <- out$subset$selected
  missing <- k - length(chosen)
  if (missing > 0) {
    warn_rowsparse("rank", sprintf(
      "only %d of %d features are linearly independent: %d that change nothing fill up the set.",
      length(chosen), k, missing
    ))
    # where time ended the search, others might change something
    alone <- order(out$subset$gains > 0, -tidy_ties(out$subset$alone), -data$deviation)
    others <- setdiff(c(prefer, alone[!data$constant[alone]]), chosen)
    out$subset <- with_idle(out$subset, others[seq_len(missing)])
  }
  out
}

# numbers that differ by rounding made equal
tidy_ties <- function(value) {
  largest <- max(abs(value))
  if (largest > 0) round(value / largest, 10) else value
}

# ---- the fit -----------------------------------------------------------------

# The fit of a set. problem$data and `response` are in units, `ridge` in those of the caller; the
# method's own objective has the `power` of the response's unit
new_cdlsr <- function(name, problem, response, out, parameters, ridge = 0, proof = NULL, power = 2,
                      ..., ridge_choice = NULL) {
  data <- problem$given
  inside <- problem$data
  subset <- out$subset
  unit <- response$unit
  ridge <- ridge_in_units(ridge, inside)
  told <- told_of_set(name, data, inside, response, out, parameters$k, ridge, proof,
    out$objective * if (power == 2) unit * unit else unit
  )
  V <- given_coefficients(subset$coefficients, response, inside)
  loadings <- expand_rows(V, subset$selected, data)
  colnames(loadings) <- response$names
  runs <- out$starts
  runs$objective <- squares_in_units(runs$objective, unit)
  runs$sets[] <- outer_index(runs$sets, inside)
  warn_squares(response$total, unit)
  fit <- do.call(new_fit, c(list(unique(c(name, "cdlsr")), data), told, list(
    loadings = loadings, parameters = parameters, explained = utils::tail(told$path$explained, 1),
    runs = runs, ..., response = c(kept_response(response), response_fit(subset, response, ridge))
  )), quote = TRUE)
  fit$ridge_choice <- ridge_choice
  if (data$kind == "moments") {
    B <- by_indicators(response$B * unit, response)
    if (!is.null(inside$weight)) B <- B / ifelse(inside$weight > 0, inside$weight, 1)
    fit <- with_sums(fit, data, B)
  }
  with_fitted(fit, data)
}

# What fits of cdlsr() and css() tell of their set and those of all sizes: arguments of new_fit()
told_of_set <- function(name, data, inside, response, out, k, ridge, proof, objective) {
  subset <- out$subset
  unit <- response$unit
  sizes <- path_of(out, k, response, inside, ridge, proof$sizes)
  # the share that is explained before each selected feature enters
  before <- or_default(subset$before, c(0, utils::head(subset$explained, -1)))
  before <- pmin(before / response$total, 1)
  gains <- scores <- pmin(subset$gains / response$total, 1)
  scores[subset$selected] <- 2 - before
  gains[data$constant] <- 0
  gains[subset$selected] <- pmin(subset$explained / response$total, 1) - before
  kept <- c("complete", "resolved", "nodes", "seconds", "dropped", "joined", "trace")
  list(
    scores = scores, ties = tidy_ties(subset$alone), selected = subset$selected,
    objective = objective, iterations = out$iterations,
    converged = out$converged && !identical(proof$complete, FALSE),
    status = if (is.null(proof)) out$status else proof_status(proof),
    # the two were computed apart, with rounding errors of the order of the response's squares
    bound = honest_bound(squares_in_units(or_default(proof$bound, NA_real_), unit),
      c(squares_in_units(response$total, unit), objective), name
    ),
    gap = or_default(proof$gap, NA_real_), gains = per_feature(gains, data),
    undecided = if (isTRUE(proof$tied) || isTRUE(proof$complete) && any(score_share >=
                      utils::tail(gains[setdiff(subset$selected, data$locked)], 1))) {
      "another set has the same objective"
    },
    path = sizes[names(sizes) != "k_ic"], k_ic = sizes$k_ic,
    proof = proof[intersect(kept, names(proof))]
  )
}

# By response: the share explained, and the sum of squares of all residuals. The objective of
# response l is RSS_l + ridge ||v_l||^2.
response_fit <- function(subset, response, ridge) {
  if (!is.null(response[["family"]])) {
    return(family_fit(response))
  }
  rss <- response$squares - subset$response_explained - ridge * colSums(subset$coefficients^2)
  rss <- pmax(rss, 0)
  list(
    explained = stats::setNames(1 - rss / response$squares, response$names),
    deviance = squares_in_units(sum(rss * or_default(response$root, 1)^2), response$unit)
  )
}

# coefficients of data and response in units as those of the data given
given_coefficients <- function(V, response, inside) {
  in_range(by_indicators(V, response), c(response$unit, 1 / inside$unit), "the coefficients")
}

# Sets, objectives and coefficients by size (the last one alone without a path), in the units of
# the caller, with the bounds and gaps of the sizes that were to be proved, and the size of the
# lowest criterion
path_of <- function(out, k, response, data, ridge, proofs) {
  unit <- response$unit
  sets <- or_default(out$path, list(
    objective = out$subset$objective, forward = NA_real_,
    features = list(out$subset$selected), coefficients = list(out$subset$coefficients),
    intercept = list(out$subset$intercept)
  ))
  if (!is.null(out$path)) k <- seq_along(sets$features)
  shrinkage <- ridge * vapply(sets$coefficients, function(V) sum(V^2), numeric(1))
  rss <- pmax(sets$objective - shrinkage, 0)
  ic <- information_criterion(rss, lengths(sets$features), response, data)
  coefficients <- lapply(sets$coefficients, given_coefficients, response, data)
  for (at in if (!is.null(data$weight)) seq_along(k)) {
    # coef() and predict() will divide by the scale of the features
    weight <- data$weight[sets$features[[at]]] * data$unit
    in_range(coefficients[[at]], list(weight), "the coefficients")
  }
  path <- list(
    k = k, objective = squares_in_units(sets$objective, unit),
    forward = squares_in_units(sets$forward, unit), explained = 1 - rss / response$total,
    ic = ic + 2 * log(unit) * sample_size(data) * response_rank(response),
    features = lapply(sets$features, outer_index, data), coefficients = coefficients,
    # in the method's own units, so that ties do not depend on those of the data
    k_ic = k[stats::na.omit(first_largest(-ic))]
  )
  if (!is.null(response[["family"]])) {
    path[c("deviance", "intercept")] <- list(2 * rss, sets$intercept)
  }
  if (!is.null(proofs)) {
    at <- match(k, proofs$k)
    path$bound <- squares_in_units(proofs$bound, unit)[at]
    path$gap <- proofs$gap[at]
    path$proved <- proofs$complete[at]
  }
  path
}

proof_status <- function(proof) {
  if (proof$complete) {
    return("proved optimal")
  }
  why <- if (!proof$resolved) {
    "not proved: rounding hides what features add"
  } else if (isFALSE(proof$late)) {
    "not proved: too many features for a search"
  } else {
    "time limit reached"
  }
  sprintf("%s, gap %s", why, format(proof$gap, digits = 2))
}

# n c log(RSS / (n c)) + k c log(d) log(log n), while k log(d) log(log n) <= n; of families the
# deviance, 2 RSS, in the place of the first term
information_criterion <- function(rss, k, response, data) {
  n <- sample_size(data)
  c <- response_rank(response)
  price <- log(max(data$d, 2)) * max(log(log(n)), 1)
  loss <- if (is.null(response[["family"]])) n * c * log(rss / (n * c)) else 2 * rss
  value <- loss + k * c * price
  ifelse(k * price <= n & rss > 0, value, NA_real_)
}

# linearly independent responses
response_rank <- function(response) {
  or_default(response$rank, length(response$squares) - identical(response$type, "class"))
}

# position of size k in the path
size_position <- function(fit, k) {
  if (is.null(k)) {
    return(length(fit$path$k))
  }
  at <- if (is_number(k)) match(k, fit$path$k) else NA
  refuse_if(is.na(at), "range", "k",
    sprintf("must be a size that the fit holds (%s)", from_to(range(fit$path$k))), describe(k))
  at
}

#' @rdname coef.cdlsr
#' @export
summary.cdlsr <- function(object, ...) {
  out <- summary.rowsparse(object, ...)
  out$explained <- object[["response"]]$explained
  lists <- c("features", "coefficients", "intercept", "baseline")
  out$path <- as.data.frame(object$path[setdiff(names(object$path), lists)])
  out[c("bound", "k_ic")] <- object[c("bound", "k_ic")]
  structure(out, class = c("summary.cdlsr", "summary.rowsparse"))
}

#' @export
print.summary.cdlsr <- function(x, ...) {
  NextMethod()
  if (!is.null(x$explained)) {
    cat("Explained, by response:\n")
    print(x$explained, digits = 3)
  }
  if (nrow(x$path) > 1 && length(x$k_ic) == 1L) {
    cat(sprintf("Sizes 1 to %d; lowest criterion at k = %d\n", max(x$path$k), x$k_ic))
  }
  invisible(x)
}

# ---- descriptor -------------------------------------------------------------

# The loadings and cached cross-products
cdlsr_bytes <- function(s) {
  each <- s$d * (3 * s$k + 3 * s$classes + 64) + s$n * (s$k + 70) + min(s$d, 1300 + s$k)^2
  if (identical(s$ridge, "cv")) { # all folds and ridges together
    grid <- ridge_grid(s$n, s$d)
    each <- each + grid$folds * length(grid$share) * s$d * (s$k + s$classes + 10)
  }
  8 * max(each, if (s$solver == "exact") proof_room(s))
}

# A proof keeps products of the features: numbers of these
proof_room <- function(s) {
  split <- s$n > s$d || has_ridge(s$ridge)
  products <- if (s$k < 3) {
    0
  } else if (split) {
    if (s$d > 5000) s$d * (600 + 4 * s$k) else 7 * s$d^2
  } else {
    if (s$k > 3) s$d^2 else min(3 * s$d^2, 2^25)
  }
  products + s$d * (s$k * (s$classes + 4) + 320)
}

descriptor_cdlsr <- function() {
  descriptor(cdlsr,
    rules = list(starts = whole(1L, 1e6), ridge = check_ridge, time_limit = number(0)),
    control = function(args) list(tol = if (args$solver == "cd") 1e-4 else 1e-9, maxit = 100L),
    check = check_cdlsr, solve = solve_cdlsr, build = new_cdlsr, holds = function(args) NA,
    bytes = cdlsr_bytes, include = "given", family = "regression", sees = "labels", weighted = TRUE,
    title = "Least squares on exactly k features", cost = "O(d k (k + c) + n d k) per sweep",
    reference = "doi:10.1609/aaai.v37i9.26258", passes = 4, moments = TRUE,
    points = points_proved("cdlsr"), largest = largest_with_ridge,
    sizes = function(given) { # only exchanges from a forward start leave the sets of all sizes
      exchange <- chosen(given, "solver", cdlsr) == "exchange"
      if (exchange && starts_forward(given)) css_sizes(given) else "refit"
    }
  )
}

starts_forward <- function(given) or_default(given[["start"]], "forward")[1] == "forward"
