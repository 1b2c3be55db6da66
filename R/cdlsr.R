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
#' most) and exchanges single features as long as an exchange lowers the objective; every candidate
#' is scored by its exact effect, all coefficients refitted, in O(d c) operations for a position.
#' From a random or given start the exchanges run twice, from the start itself and from the end of
#' the sweeps of `"cd"`, and the lower end is kept. `search = "fast"` stops here. Otherwise the
#' search continues from the end of the forward start: two to a third of the features are replaced,
#' and exchanges follow (iterated local search; the draws are the same in every call); exchanges
#' among the most promising features are made even where they raise the objective (tabu search; not
#' for row blocks); and forward selection begins with other first features.
#'
#' `"cd"` is the coordinate descent of the paper: with V the coefficients of the set, each position
#' in turn takes the feature that is best with V fixed; then V is refitted. It takes at least five
#' sweeps, and ends after three sweeps that each change the objective by at most `tol` (relative).
#'
#' `"exact"` proves that no set of k features is better, starting from the result of `"exchange"`.
#' With `ridge > 0`, or more samples than features, it is a branch and bound on the perspective
#' relaxation. Let A = Xc'Xc + ridge I, C = Xc'Yc, and D > 0 a diagonal with M = A - D positive
#' semidefinite. For every coefficient matrix B,
#' \deqn{\|Y_c\|^2 - \langle B, M B \rangle - \sum_{j \in T} \|C_j - (M B)_j\|^2 / D_j}{
#' ||Yc||^2 - <B, M B> - sum over j in T of ||C_j - (M B)_j||^2 / D_j}
#' bounds the objective of the set T from below. At every node, B is the solution of the relaxation
#' (Newton's method) and D is improved for the remaining features; features that no better set holds
#' are eliminated, and those that every better set holds are fixed. Without a ridge and with fewer
#' samples than features no such D exists; sets are then searched in order, bounded by the
#' eigenvalues of the residual response, by regressions on all remaining features, and by
#' correlations: k = 3 can be proved for thousands of features, k = 4 for hundreds, and from k = 5
#' on the gap mostly stays at 1. `k` may be several sizes: one search of `time_limit` seconds proves
#' them all.
#'
#' A proof is fast where the relevant features stand out. It stays open where many sets are nearly
#' as good: strongly dependent features with k of 10 and more, sizes below the number of relevant
#' features, low signal to noise with few samples. Of 200 simulated regressions with 50 to 800
#' features and k from 3 to 20, 150 were proved within a second and 34 not within thirty
#' (`Rscript bench/exact.R expect`).
#'
#' All claims hold to within `tol` (by default 1e-9) of \eqn{\|Y_c\|^2}{||Yc||^2}, rounding
#' included. A feature counts as dependent on others when its residual, given the others, is at most
#' 16 times 2.2e-16 of its norm before centring; [moments()] resolve only features that keep 1e-4 of
#' their norm. Where a feature with less could make a better set, `"exact"` says "not proved" and
#' `proof$resolved` is `FALSE`. Features tie when their gains differ by less than 1e-10 of the
#' largest; the one with the largest variance before scaling then comes first. Features in `include`
#' are never exchanged; one that is constant or depends on other included ones changes nothing.
#'
#' @section The number of features:
#' With `solver = "exchange"` and a forward start the fit holds the best sets found for every size
#' 1, ..., k. Each size starts from the set of the size before and its best addition, and is never
#' worse than forward selection at that size. `coef()`, `predict()` and [selected()] take any of
#' these sizes. `path$ic` is the criterion (Fan and Tang, 2013)
#' \deqn{n c \log(\mathrm{RSS} / (n c)) + k c \log(d) \log(\log n)}{
#' n c log(RSS / (n c)) + k c log(d) log(log n)}
#' with c the number of linearly independent responses. It is `NA` for k above
#' n / (log(d) log(log n)), where its penalty no longer protects. `k_ic` is the size with the lowest
#' criterion.
#'
#' @inheritParams bsufs
#' @param x Data, see [rowsparse_data]; [moments()] made with a response serve without `y`.
#' @param y Response: classes or numbers, see "What y is" in [rowsparse_data]. Numbers may be a
#'   vector, or a matrix or data frame with one response per column.
#' @param k Number of features: at most min(n - 1, features that vary), or with
#'   `ridge > 0` the number of features that vary. With `solver = "exact"` also several numbers: the
#'   fit is that of the largest one, and its `path` holds the proofs of all.
#' @param solver How the set is found: `"exchange"`, the default, exchanges single features as long
#'   as an exchange helps; `"cd"` is the published coordinate descent; `"exact"` also proves that no
#'   set is better, where time allows. See Solvers.
#' @param start Where the descent starts: `"forward"` selection, `"random"` sets, or an integer
#'   matrix of starting sets of column indices, one per row.
#' @param starts Number of starts. With `start = "forward"` all but the first are random, with
#'   `"random"` all are. The element `runs` has their results.
#' @param seed A whole number from which random starts are drawn; the state of R's generator is
#'   neither used nor changed. `NULL`: `set.seed()` governs them.
#' @param ridge Ridge penalty, on the scale of the objective (features with standard deviation 1
#'   have squared norm n - 1). Needed for k >= n. Or `"cv"`: the one of 0.0003 n, 0.003 n, 0.03 n
#'   and 0.3 n with the least squared error on held-out samples in five-fold cross-validation; where
#'   n d is above 1e6, three folds compare the three larger penalties. Folds follow the order of the
#'   response and nothing is drawn. Take `"cv"` for data with features that are constant but for a
#'   few samples: without a ridge they fit these samples exactly.
#' @param scale Divide features by their standard deviation? As in the paper, yes.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-9 for
#'   exchanges (the least gain that counts, relative to
#'   \eqn{\|Y_c\|^2}{||Yc||^2}) and 1e-4 for `"cd"`; `maxit` 100 sweeps;
#'   `threads` serve the random starts.
#' @param path Keep the sets of every size up to k, for `coef()` and `predict()`? `FALSE` saves
#'   time.
#' @param weights Observation weights: a number of at least 0 per sample (for a
#'   `SummarizedExperiment` also the name of a column of `colData(x)`), or `NULL` for ones;
#'   `"balanced"` gives every class of y the same total weight. A whole weight counts a sample that
#'   many times, and samples of weight 0 are left out. Scales are those of n - 1 samples of average
#'   weight. Sparse data are made dense; where they are too large for this, use [moments()] with
#'   `weights`. Not with `block`.
#' @param search How long the search for a better set continues. `"fast"` stops where no exchange of
#'   a single feature helps. `"standard"`, the default, ends after 5 perturbations in a row without
#'   a better set (up to 12 times as many with fewer than 4000 features), at most 5 rounds of tabu
#'   search and 10 other first features; `"thorough"` raises these numbers to 200, 200 and 20
#'   (`Rscript bench/checked.R search`).
#' @param rules Rules that the panel must obey beside its size, from [panel_rules()].
#' @param time_limit Seconds of elapsed time, from the call on, after which `"exact"` stops and
#'   reports the gap. At most half of the remaining time goes into a good set. If this half ends
#'   before the sets of all sizes are known, the fit holds only the last one.
#'
#' @return A list of class `c("cdlsr", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{selected}{the k features in the order in which forward selection within the set takes
#'     them}
#'   \item{scores}{for selected features 1 + the share of \eqn{\|Y_c\|^2}{||Yc||^2} not yet
#'     explained when the feature enters; for the others the share that the feature would add}
#'   \item{gains}{for all features the share that each adds when it enters, or would add}
#'   \item{loadings}{W, d x c, on the scale of the objective; see [coef()]}
#'   \item{objective}{at the start of the winning descent and after each sweep; for `"cd"` including
#'     the small ridge (1e-9 of the squared norm of a feature) of its refits}
#'   \item{explained}{share of \eqn{\|Y_c\|^2}{||Yc||^2} that the selected features reproduce;
#'     `response$explained` has the share of each response}
#'   \item{bound, gap}{of `"exact"`; else `NA`}
#'   \item{path}{list of `k`, `objective`, `forward` (objective of forward selection alone),
#'     `explained`, `ic`, and lists `features` and `coefficients` by size; for `"exact"` also
#'     `bound`, `gap` and `proved` of the sizes in `k`, `NA` for others}
#'   \item{k_ic}{the size with the lowest criterion}
#'   \item{ridge_choice}{for `ridge = "cv"`: list of the chosen `ridge` and its `share` (the ridge
#'     divided by n); `errors`, a data frame of all ridges with their errors on the held-out
#'     samples, relative to the error of the mean; and the number of `folds`}
#'   \item{runs}{list of `objective`, `sweeps`, `converged` and the final `sets` (one per row) of
#'     every start}
#'   \item{proof}{for `"exact"`: list of `complete` (proved), `resolved` (`FALSE` when rounding
#'     prevents a proof), `nodes` (nodes branched on), `seconds`, `dropped` and `joined` (features
#'     eliminated and fixed before the first branch), and `trace`: over `seconds`, the share of
#'     \eqn{\|Y_c\|^2}{||Yc||^2} that the best set explains (`value`) and the share that no set
#'     exceeds (`bound`)}
#'
#'   With fewer than k linearly independent features (a warning of class `rowsparse_warning_rank`)
#'   the set is filled up with features that change nothing. Objectives of responses beyond about
#'   1e150 or below 1e-150 are Inf or 0, with a warning of class `rowsparse_warning_range`.
#'
#' @references
#' Xu, Wang, Nie and Li (2023) Efficient top-k feature selection using
#' coordinate descent method. Proceedings of the AAAI Conference on Artificial
#' Intelligence 37, 10594-10601. \doi{10.1609/aaai.v37i9.26258}
#'
#' Chen, Billings and Luo (1989) Orthogonal least squares methods and their
#' application to non-linear system identification. International Journal of
#' Control 50, 1873-1896. \doi{10.1080/00207178908953472}
#'
#' Xie and Deng (2020) Scalable algorithms for the sparse ridge regression. SIAM Journal on
#' Optimization 30, 3359-3386. \doi{10.48550/arXiv.1806.03756}
#'
#' Furnival and Wilson (1974) Regressions by leaps and bounds. Technometrics
#' 16, 499-511. \doi{10.1080/00401706.1974.10489231}
#'
#' Fan and Tang (2013) Tuning parameter selection in high dimensional penalized
#' likelihood. Journal of the Royal Statistical Society B 75, 531-552.
#' \doi{10.1111/rssb.12001}
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
                  search = c("standard", "fast", "thorough"), include = NULL, exclude = NULL,
                  seed = NULL, block = NULL, assay = NULL, groups = NULL, rules = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(k), "k")
  solver <- check_choice(solver, "solver", c("exchange", "cd", "exact"))
  ridge <- check_ridge(ridge)
  path <- check_flag(path, "path")
  search <- check_choice(search, "search", c("standard", "fast", "thorough"))
  time_limit <- check_number(time_limit, "time_limit", 0)
  seed <- check_seed(seed)
  control <- resolve_control(control, tol = if (solver == "cd") 1e-4 else 1e-9, maxit = 100L)
  weights <- sample_weights(x, weights, y)
  data <- as_data(x, scale, assay, block, include, exclude, weights = weights, groups = groups)
  if (!is.null(rules)) {
    k <- check_count(k, "k", 1L, varying_units(data))
    data <- add_rules(data, rules, k)
    path <- path && !is_ruled(data)
  }
  check_searched(data, solver,
    starts = if (!isTRUE(starts == 1)) starts, start = start, k = k
  )
  inside <- in_binary_units(data)
  response <- prepare_response(inside, x, y, units = TRUE)
  if (is_pillai(ridge)) {
    response <- pillai_response(response, inside)
    ridge <- response$ridge
  }
  sizes <- sizes_to_prove(k, solver, data, ridge)
  k <- max(sizes)
  choice <- if (identical(ridge, "cv")) {
    choose_ridge(data, sample_column(x, y, "y"), k, control)
  }
  ridge <- or_default(choice$ridge, ridge)
  path <- path || length(sizes) > 1L
  begin <- with_seed(seed, starting_sets(start, starts, k, data))
  if (nrow(begin$sets) > 1) control$threads <- threads_beside_blas(control$threads)
  check_fit_size("cdlsr", data,
    k = needed_columns(k, data), classes = length(response$squares), solver = solver,
    ridge = ridge, control = control
  )

  job <- list(
    k = k, sizes = sizes, solver = solver, begin = begin, path = path, control = control,
    ridge = ridge_in_units(ridge, inside), search = search, started = started,
    time_limit = time_limit
  )
  found <- find_in_few_passes(inside, response, job)
  out <- found$out
  if (!is.null(found$locked)) {
    out <- fill_rank(insert_lost(out, found$locked, response$total), k, inside)
  }
  parameters <- list(
    k = k, solver = solver, start = begin$name, starts = nrow(out$starts$sets),
    ridge = ridge, search = search
  )
  fit <- new_cdlsr("cdlsr", data, found$inside, found$response, out, parameters, control,
    call, started,
    ridge = ridge, proof = found$proof
  )
  fit$ridge_choice <- choice
  fit
}

# The search on row blocks: first by the cross-products of the blocks with themselves and the
# response. If these leave it `unsure`, as nearly dependent features do, the search runs again on
# all samples at once or, if these do not fit into memory, block by block.
find_in_few_passes <- function(inside, response, job) {
  if (inside$kind == "blocks" && fits_cross_products(inside)) {
    moments <- response
    moments$B <- .Call(C_cross, unclass(inside), response$Y, ncol(response$Y))
    moments$Y <- NULL
    found <- find_cdlsr(second_moments(inside), moments, job)
    if (!found$unsure) {
      return(found)
    }
  }
  held <- inside$kind == "blocks" && can_be_held(data_sizes(inside))
  if (held) inside <- hold_blocks(inside, "cdlsr")
  find_cdlsr(inside, response, job)
}

# list(out, proof, unsure, inside, response, locked): the raw result, the proof of
# `solver = "exact"`, and whether rounding of cross-products leaves them open. `job` holds the
# arguments of cdlsr(), its ridge in units.
find_cdlsr <- function(inside, response, job) {
  exact <- job$solver == "exact"
  data <- list(inside = inside, response = response)
  if (searches_groups(inside)) {
    perturb <- max(search_counts(job$search)$perturb,
      if (is_ruled(inside)) group_perturbations(inside)
    )
    found <- find_groups(inside, response, job$k, job$ridge, job$path, job$control, perturb,
      if (exact) time_left(job$started, job$time_limit)
    )
    return(c(found, data, unsure = FALSE))
  }
  locked <- resolve_locked(inside, response, job$k, job$ridge)
  settings <- cdlsr_settings(job$solver, job$k - length(locked$lost), job$begin, job$path,
    job$ridge, job$control, job$search
  )
  # half of the time at most for a good set, the rest for the proof
  if (exact) settings$search_limit <- time_left(job$started, job$time_limit) / 2
  out <- .Call(C_cdlsr, unclass(locked$data), core_response(response),
    sets_without(job$begin$sets, locked$lost), settings
  )
  found <- if (exact) {
    prove(locked$data, response, out, settings, time_left(job$started, job$time_limit),
      job$sizes - length(locked$lost), locked, isTRUE(job$control$verbose)
    )
  } else {
    list(out = out)
  }
  unsure <- isTRUE(out$doubtful) || isFALSE(found$proof$resolved)
  c(found, data, unsure = unsure, list(locked = locked))
}

# what the C code reads of a response
core_response <- function(response) response[c("Y", "B", "total", "reach")]

cdlsr_settings <- function(solver, k, start, path, ridge, control, search = "fast") {
  cd <- solver == "cd"
  c(list(
    solver = if (cd) "cd" else "exchange", k = k, path = path && start$forward && !cd,
    forward = start$forward, tol = if (cd) 0 else control$tol,
    cd_tol = if (cd) control$tol else 1e-4, maxit = control$maxit, threads = control$threads,
    ridge = ridge
  ), search_counts(search))
}

# how much of each part of the search: perturbations, rounds of tabu search, other first
# features, sweeps of coordinate descent from random and given starts
search_counts <- function(search) {
  counts <- switch(search,
    fast = c(0L, 0L, 0L), folds = c(1L, 0L, 0L), standard = c(5L, 5L, 10L),
    thorough = c(200L, 200L, 20L)
  )
  search_parts(c(as.list(stats::setNames(counts, c("perturb", "tabu", "firsts"))), sweeps = 1L))
}

# without those that the option names (bench/ablation.R)
search_parts <- function(counts) {
  counts[intersect(names(counts), getOption("rowsparse.search_without"))] <- 0L
  counts
}

# ---- input -----------------------------------------------------------------

# the ridge penalty that belongs to data in units
ridge_in_units <- function(ridge, inside) {
  inner <- ridge / inside$unit / inside$unit
  if (!is.finite(inner)) {
    stop_rowsparse("range", "ridge", "must be small enough for the units of `x`", describe(ridge))
  }
  inner
}

# the centred response: Y, or B = Xc'Yc from moments; sums of squares. With
# `units`, data and response are in units of theirs, see in_binary_units()
prepare_response <- function(data, x, y, units = FALSE) {
  if (data$kind == "moments") {
    response <- moments_response(data, x, y)
    return(if (units) response_in_units(response, data) else response)
  }
  if (is.null(y)) stop_rowsparse("type", "y", "must be given unless `x` holds moments with it")
  y <- observed_response(sample_column(x, y, "y"), data)
  response <- as_response(y, data$n)
  if (units) {
    return(centre_response(response, adjustment(data), data$observed))
  }
  response <- take_off_means(response, adjustment(data), data$observed)
  response$squares <- colSums(response$Y^2)
  response$total <- sum(response$squares)
  response$YtY <- crossprod(response$Y)
  response
}

moments_response <- function(data, x, y) {
  if (!is.null(y)) {
    stop_rowsparse("type", "y", "must be left out: moments carry their own response")
  }
  if (is_sketch(data)) {
    stop_rowsparse("type", "x", paste(
      "must be whole moments: with a sketch, features could explain more of the response than",
      "there is"
    ), "moments with a `rank`")
  }
  if (is.null(x$Sxy)) {
    stop_rowsparse("type", "x", "must be moments with a response: moments(x, y)", "none")
  }
  Syy <- unname(x$Syy)
  squares <- diag(Syy)
  varies <- squares > 0
  if (!any(varies)) {
    stop_rowsparse("constant", "y", "must vary", "a constant response")
  }
  if (identical(x$y_type, "class")) check_class_count(sum(varies), data$n)
  B <- inner_rows(unname(x$Sxy), data)[, varies, drop = FALSE]
  if (!is.null(data$weight)) B <- B * data$weight
  list(
    B = B, type = x$y_type, levels = x$levels[varies], names = x$response_names[varies],
    text = response_text(x$y_type, sum(varies)),
    mean = unname(x$y_mean)[varies], squares = squares[varies], total = sum(squares),
    range = x$y_range[, varies, drop = FALSE],
    level_mean = unname(x$block$y_mean)[data$block$used, varies, drop = FALSE],
    YtY = Syy[varies, varies, drop = FALSE],
    reach = max(abs(unname(x$y_mean)[varies]) / sqrt(squares[varies] / data$n))
  )
}

check_size <- function(k, data, ridge) {
  if (is_grouped(data)) {
    return(check_group_size(k, data))
  }
  check_locked_size(k, data)
  most <- if (has_ridge(ridge)) varying_units(data) else largest_dimension(data)
  if (!is_whole(k) || length(k) != 1L || k < 1 || k > most) {
    degrees <- if (is.null(data$design) && is.null(data$block)) "n - 1" else "n - levels of `block`"
    limit <- sprintf(" = min(%s, features that vary); `ridge` > 0 lifts %s", degrees, degrees)
    stop_rowsparse("range", "k",
      sprintf("must be a whole number from 1 to %d%s", most, if (has_ridge(ridge)) "" else limit),
      describe(k)
    )
  }
  as.integer(k)
}

# ascending; several are for proofs
sizes_to_prove <- function(k, solver, data, ridge) {
  if (solver != "exact" || !is.numeric(k) || length(k) < 2L) {
    return(check_size(k, data, ridge))
  }
  sort(unique(vapply(k, check_size, 1L, data = data, ridge = ridge)))
}

# forward: does a forward start come first? sets: the others, one per row
starting_sets <- function(start, starts, k, data) {
  starts <- check_count(starts, "starts", 1L, 1e6)
  if (is.numeric(start)) {
    return(list(name = "matrix", forward = FALSE, sets = check_sets(start, k, data)))
  }
  start <- check_choice(start, "start", c("forward", "random"))
  forward <- start == "forward"
  eligible <- setdiff(which(!data$constant), data$locked)
  drawn <- starts - forward
  free <- k - length(data$locked)
  sets <- vapply(seq_len(drawn), function(i) {
    c(data$locked, eligible[sample.int(length(eligible), free)])
  }, integer(k))
  list(name = start, forward = forward, sets = t(matrix(sets, k, drawn)))
}

check_sets <- function(sets, k, data) {
  if (!is.matrix(sets)) sets <- matrix(sets, 1)
  d <- view_of(data)$d
  is_set <- function(set) all(set %in% seq_len(d)) && !anyDuplicated(set)
  if (ncol(sets) != k || nrow(sets) < 1L || !all(apply(sets, 1, is_set))) {
    rule <- sprintf("must hold sets of %d distinct columns (1 to %d), one per row", k, d)
    stop_rowsparse("range", "start", rule, describe(sets))
  }
  sets[] <- inner_index(sets, data)
  for (at in seq_len(nrow(sets))) check_start_set(sets[at, ], data)
  if (any(data$constant[setdiff(sets, data$locked)])) {
    stop_rowsparse("constant", "start", "must not hold constant features")
  }
  matrix(as.integer(sets), nrow(sets))
}

# ---- features that are locked in ---------------------------------------------

# list(data, lost, hidden): the included features that are linearly independent are locked in
# the data; those lost change nothing, and are put behind them by insert_lost(). Cross-products
# do not tell dependent features from nearly dependent ones: hidden, if that some change nothing
# is not known.
resolve_locked <- function(data, response, k, ridge = 0) {
  asked <- as.integer(data$locked)
  set <- asked[!data$constant[asked]]
  data$locked <- NULL
  if (length(set) > 0L) {
    settings <- css_settings(length(set), "forward", FALSE, list(tol = 0, maxit = 1L))
    settings$forward <- FALSE
    settings$ridge <- ridge
    found <- .Call(C_cdlsr, unclass(data), core_response(response), matrix(set, 1), settings)
    set <- found$subset$selected
    data$locked <- set
  }
  lost <- setdiff(asked, set)
  if (length(lost) == k) {
    stop_rowsparse("range", "k",
      "must leave room for a feature that varies beside those in `include`", describe(k)
    )
  }
  hidden <- is.null(response[["Y"]]) && any(!data$constant[lost])
  list(data = data, lost = lost, hidden = hidden)
}

# starting sets, one per row, all of which hold the lost ones
sets_without <- function(sets, lost) {
  kept <- vapply(seq_len(nrow(sets)), function(at) setdiff(sets[at, ], lost),
    integer(ncol(sets) - length(lost))
  )
  t(matrix(kept, ncol(sets) - length(lost)))
}

# The lost ones take their places at the end of the set, and at every size from the number of
# locked features on
insert_lost <- function(out, locked, total) {
  lost <- locked$lost
  if (length(lost) == 0L) {
    return(out)
  }
  out$subset <- with_idle(out$subset, lost)
  if (!is.null(out$starts)) {
    sets <- out$starts$sets
    out$starts$sets <- cbind(sets, matrix(lost, nrow(sets), length(lost), byrow = TRUE))
  }
  if (!is.null(out$path)) {
    out$path <- path_with_lost(out$path, lost, length(locked$data$locked), total)
  }
  out
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
  more <- sizes - size
  width <- if (length(path$coefficients) > 0) ncol(path$coefficients[[1]]) else 0L
  sets <- c(list(integer()), path$features)[size + 1L]
  rows <- c(list(matrix(0, 0, width)), path$coefficients)[size + 1L]
  list(
    features = Map(function(set, count) c(set, lost[seq_len(count)]), sets, more),
    coefficients = Map(with_zero_rows, rows, more),
    explained = c(0, path$explained)[size + 1L],
    objective = c(total, path$objective)[size + 1L],
    forward = c(total, path$forward)[size + 1L]
  )
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
    alone <- order(-tidy_ties(out$subset$alone), -data$deviation)
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

# The fit of a set. `inside` and `response` are in units, see in_binary_units(), `ridge` in those of
# the caller; the method's own objective has the `power` of the response's unit
new_cdlsr <- function(name, data, inside, response, out, parameters, control, call, started,
                      ridge = 0, proof = NULL, power = 2, ...) {
  subset <- out$subset
  V <- subset$coefficients
  ridge <- ridge_in_units(ridge, inside)
  sizes <- as_path(out, parameters$k, response, inside, ridge)
  # in the method's own units, so that ties do not depend on those of the data
  lowest_size <- sizes$k[stats::na.omit(first_largest(-sizes$ic))]
  sizes <- path_in_units(sizes, proof$sizes, response, inside)
  unit <- response$unit
  objective <- out$objective * if (power == 2) unit * unit else unit
  runs <- out$starts
  runs$objective <- squares_in_units(runs$objective, unit)
  runs$sets[] <- outer_index(runs$sets, inside)
  loadings <- matrix(0, data$d, ncol(V), dimnames = list(NULL, response$names))
  loadings[subset$selected, ] <- given_coefficients(V, response, inside)
  warn_squares(response$total, unit)
  fit <- new_fit(name, data,
    scores = subset_scores(subset, response$total), ties = tidy_ties(subset$alone),
    selected = subset$selected,
    loadings = loadings, objective = objective, iterations = out$iterations,
    converged = out$converged && !identical(proof$complete, FALSE),
    status = subset_status(out$status, proof), parameters = c(parameters, control),
    explained = utils::tail(sizes$explained, 1),
    # the two were computed apart, with rounding errors of the order of the response's squares
    bound = honest_bound(squares_in_units(or_default(proof$bound, NA_real_), unit),
      c(squares_in_units(response$total, unit), objective), name
    ),
    gap = or_default(proof$gap, NA_real_), gains = subset_gains(subset, response$total, data),
    path = sizes, k_ic = lowest_size, runs = runs,
    proof = proof[c("complete", "resolved", "nodes", "seconds", "dropped", "joined", "trace")],
    ...,
    response = c(kept_response(response), response_fit(subset, response, ridge)),
    call = call, started = started, verbose = control$verbose
  )
  class(fit) <- unique(c(name, "cdlsr", "rowsparse"))
  if (data$kind == "moments") {
    B <- by_indicators(response$B * unit, response)
    if (!is.null(inside$weight)) B <- B / ifelse(inside$weight > 0, inside$weight, 1)
    fit <- with_sums(fit, data, B)
  }
  with_fitted(fit, data)
}

# By response: the share explained, and the sum of squares of all residuals. The objective of
# response l is RSS_l + ridge ||v_l||^2.
response_fit <- function(subset, response, ridge) {
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

# The path in the units of the caller, with the bounds and gaps of the sizes that were to be proved
path_in_units <- function(sizes, proofs, response, data) {
  unit <- response$unit
  for (name in c("objective", "forward")) {
    sizes[[name]] <- squares_in_units(sizes[[name]], unit)
  }
  sizes$ic <- sizes$ic + 2 * log(unit) * data$n * response_rank(response)
  sizes$coefficients <- lapply(sizes$coefficients, given_coefficients, response, data)
  for (at in if (!is.null(data$weight)) seq_along(sizes$k)) {
    # coef() and predict() will divide by the scale of the features
    weight <- data$weight[sizes$features[[at]]] * data$unit
    in_range(sizes$coefficients[[at]], list(weight), "the coefficients")
  }
  sizes$features <- lapply(sizes$features, outer_index, data)
  if (!is.null(proofs)) {
    at <- match(sizes$k, proofs$k)
    sizes$bound <- squares_in_units(proofs$bound, unit)[at]
    sizes$gap <- proofs$gap[at]
    sizes$proved <- proofs$complete[at]
  }
  sizes
}

subset_status <- function(status, proof) {
  if (is.null(proof)) {
    return(status)
  }
  if (proof$complete) {
    return("proved optimal")
  }
  why <- if (!proof$resolved) {
    "not proved: rounding hides what nearly dependent features add"
  } else if (isFALSE(proof$late)) {
    "not proved: too many features for a search"
  } else {
    "time limit reached"
  }
  sprintf("%s, gap %s", why, format(proof$gap, digits = 2))
}

# the share that is explained before each selected feature enters
shares_before <- function(subset, total) {
  pmin(or_default(subset$before, c(0, utils::head(subset$explained, -1))) / total, 1)
}

# selected, in order of entry: 1 + what was not explained before; others: gain
subset_scores <- function(subset, total) {
  scores <- pmin(subset$gains / total, 1)
  scores[subset$selected] <- 2 - shares_before(subset, total)
  scores
}

# selected: the share that each added when it entered; others: that it would add
subset_gains <- function(subset, total, data) {
  gains <- pmin(subset$gains / total, 1)
  gains[data$constant] <- 0
  gains[subset$selected] <- pmin(subset$explained / total, 1) - shares_before(subset, total)
  per_feature(gains, data)
}

# sets, objectives and coefficients by size; the last one alone without a path
as_path <- function(out, k, response, data, ridge) {
  sets <- out$path
  if (is.null(sets)) {
    sets <- list(
      objective = out$subset$objective, forward = NA_real_,
      features = list(out$subset$selected), coefficients = list(out$subset$coefficients)
    )
  } else {
    k <- seq_along(sets$explained)
  }
  shrinkage <- ridge * vapply(sets$coefficients, function(V) sum(V^2), numeric(1))
  rss <- pmax(sets$objective - shrinkage, 0)
  list(
    k = k, objective = sets$objective, forward = sets$forward,
    explained = 1 - rss / response$total,
    ic = information_criterion(rss, lengths(sets$features), response, data),
    features = sets$features, coefficients = sets$coefficients
  )
}

# n c log(RSS / (n c)) + k c log(d) log(log n), while k log(d) log(log n) <= n
information_criterion <- function(rss, k, response, data) {
  n <- data$n
  c <- response_rank(response)
  price <- log(max(data$d, 2)) * max(log(log(n)), 1)
  value <- n * c * log(rss / (n * c)) + k * c * price
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
  if (is.na(at)) {
    known <- paste(unique(range(fit$path$k)), collapse = " to ")
    stop_rowsparse("range", "k", sprintf("must be a size that the fit holds (%s)", known),
      describe(k)
    )
  }
  at
}

# ---- S3 methods --------------------------------------------------------------

# slopes per unit of the features, and intercepts
original_coefficients <- function(fit, at) {
  in_original_units(fit, fit$path$features[[at]], fit$path$coefficients[[at]])
}

#' @rdname coef.cdlsr
#' @export
summary.cdlsr <- function(object, ...) {
  check_no_more("summary", NULL, ...)
  # as selected by the method: a redundancy guard may have changed `selected`
  entered <- utils::tail(object$path$features, 1)[[1]]
  if (!is.null(object$groups)) entered <- unique(object$groups$of[entered])
  view <- unit_view(object)
  explained <- utils::head(cumsum(view$gains[entered]), -1)
  out <- list(
    line = c(
      selection_lines(object, 10L), locked_words(object), fit_state(object),
      gap_words(object), proof_lines(object)
    ),
    call = object$call,
    explained = object[["response"]]$explained, bound = object$bound,
    objective = utils::tail(object$path$objective, 1),
    entry = stats::setNames(data.frame(
      as.character(feature_labels(view, entered)), entered,
      c(unname(explained), utils::tail(object$path$explained, 1))
    ), c(unit_noun(object), "index", "explained")),
    noun = unit_noun(object),
    path = as.data.frame(object$path[setdiff(names(object$path), c("features", "coefficients"))]),
    k_ic = object$k_ic,
    fragility = fragility(object, default_rank(object))
  )
  structure(out, class = "summary.cdlsr")
}

#' @export
print.summary.cdlsr <- function(x, ...) {
  cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  cat(x$line, sep = "\n")
  cat(sprintf("Objective: %s\n", format(x$objective, digits = 8)))
  if (is_number(x$bound)) cat(sprintf("Lower bound: %s\n", format(x$bound, digits = 8)))
  cat("Explained, by response:\n")
  print(x$explained, digits = 3)
  cat(fragility_lines(x$fragility), sep = "\n")
  cat(sprintf("%ss in order of entry:\n", if (identical(x$noun, "group")) "Group" else "Feature"))
  print(x$entry, row.names = FALSE, digits = 3)
  if (nrow(x$path) > 1) {
    cat(sprintf("Sizes 1 to %d%s\n", max(x$path$k),
      if (length(x$k_ic) == 1L) sprintf("; lowest criterion at k = %d", x$k_ic) else ""
    ))
  }
  invisible(x)
}

# ---- descriptor -------------------------------------------------------------

# Per thread the loadings and cached cross-products
cdlsr_bytes <- function(s) {
  each <- s$d * (3 * s$k + 3 * s$classes + 64) + s$n * (s$k + 70)
  pool <- (160 + s$k) * (min(s$n, 2^23 / 160) + 160 + 3 * s$k)
  8 * max(each * s$threads + pool, if (s$solver == "exact") proof_room(s))
}

# A proof keeps products of the features: numbers of these
proof_room <- function(s) {
  split <- s$n > s$d || (is_number(s$ridge) && s$ridge > 0)
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
    bytes = cdlsr_bytes, include = "given", family = "regression", sees = "labels", weighted = TRUE,
    title = "Least squares on exactly k features", cost = "O(d k (k + c) + n d k) per sweep",
    reference = "doi:10.1609/aaai.v37i9.26258", largest = largest_regression, sizes = cdlsr_sizes,
    points = cdlsr_points, passes = 4, moments = TRUE
  )
}

# only exchanges from a forward start leave the sets of all sizes
cdlsr_sizes <- function(given) {
  exchange <- chosen(given, "solver", cdlsr) == "exchange"
  if (exchange && starts_forward(given)) css_sizes(given) else "refit"
}

starts_forward <- function(given) or_default(given[["start"]], "forward")[1] == "forward"

# a ridge lifts the limit that the number of samples sets
largest_regression <- function(data, given) {
  if (has_ridge(given[["ridge"]])) varying_features(data) else largest_rank(data)
}
