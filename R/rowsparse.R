#' Select features by any method of the package
#'
#' One call for every method: from a matrix to exactly `k` features, with defaults that need no
#' tuning. The result is the method's own fit, described on its help page.
#'
#' @section How each method comes to exactly k features:
#' Methods that choose k features by themselves are asked for k. Of methods that rank features by a
#' penalised problem, the k best are taken. Where the default penalty leaves fewer than k features
#' with a nonzero score, it is halved until there are enough (in [spca_psd()] both penalties, as
#' either may give a zero solution). A penalty given by the caller is kept. A warning of class
#' `rowsparse_warning_fill` tells when the remaining places were filled in the order of the method's
#' second criterion, then of the variance. The order of the columns never decides, see "Ties". The
#' same warning appears when k exceeds the limit of a method (least squares cannot distinguish more
#' than n - 1 features): the remaining features then follow in the order of their variance.
#'
#' Here [css()] uses `solver = "forward"`, so that the sets of smaller k are the beginnings of those
#' of larger k. Its own default, `solver = "exchange"`, finds sets that reproduce a little more.
#'
#' @section The default method:
#' The default depends on the data. It draws no random numbers.
#' * One number per sample: [cdlsr()] with a ridge chosen by cross-validation (`ridge = "cv"`) where
#'   k is at most half the number of samples, else [alignment()].
#' * Classes, several numbers, [row_blocks()] with a response, and other data without a response:
#'   [alignment()].
#' * [moments()], which do not hold the samples: [css()].
#' * A `SummarizedExperiment` or `SingleCellExperiment` without a response: [fspca()] with
#'   `solver = "go"`.
#'
#' The default for expression objects was chosen for single cells. On seven sets with known types,
#' the share of a cell's 15 nearest neighbours of the same type, on ten components of the selected
#' genes, was 0.879 at k = 50 and 0.900 at k = 200 (mean over the sets; alignment 0.848 and 0.877,
#' the genes of largest biological variance by scran 0.812 and 0.869, random genes 0.535 and 0.701).
#' Single sets were compared at k = 25, 50, 100, 200, 500 and 2000. Only differences above 0.005 and
#' two standard errors (from halves of the cells) count. Of 41 pairs of set and size the default is
#' ahead of scran on 14, ties on 25 and is behind on 2 (by 0.020 at k = 200 on one set, by 0.038 at
#' k = 25 on another); against Seurat's vst these are 15, 26 and 0, its dispersion 22, 19 and 0, the
#' binomial deviance 9, 31 and 1. It is ahead on stages of the cell cycle and of two embryos, and
#' mostly ties elsewhere. Among the rarest types it ties nearly always (with scran 3, 36 and 2, at
#' worst 0.146 behind). These seven sets were used to choose it; on four other sets it and scran tie
#' (-0.009 to 0.006, and -0.028 on one). The default solver of [fspca()] finds sets of more
#' variance, which preserve fewer neighbours (0.848 and 0.861). On seven arrays the two defaults
#' found the classes about equally well from k = 50 on. A matrix of expressions is treated as any
#' matrix: give `method = "fspca", solver = "go"` for it. `Rscript bench/genes.R` of the sources
#' repeats this (`PART=evidence,verdicts` for the ties).
#'
#' The evidence for [alignment()] is clustering and prediction on 25 data sets: images, speech,
#' arrays and single cells. Without labels and with k = 50, k-means on its features found the
#' classes better than on a share of 0.86 of random sets of 50 features (mean over the data sets, by
#' accuracy; 0.90 by mutual information; [css()] 0.75 and 0.76, ranking by variance 0.59 and 0.61).
#' It was above the 90th percentile of the random sets on 17 of the 25, and never more than two
#' standard deviations below their mean. It fails where the largest groups among the samples are not
#' the classes of interest: on a set of methylation profiles at any k, and on pairs of tumour types
#' it is hardly better than chance. `fit$embedding` holds the directions of the groups that it found.
#'
#' With classes the cross-validated error of nearest neighbours, linear discriminants and
#' support vector machines was lowest with alignment at k = 10, 20 and 50 (k = 20,
#' nearest neighbour: 0.127; [cdlsr()] 0.164, [rfs()] 0.154, F statistics 0.193, random 0.347).
#'
#' With a number per sample the squared error of ridge regression on the selected features was 0.300
#' of the variance with the default, the lowest of all (cdlsr without a ridge 0.322, alignment
#' 0.333, F statistics 0.357, rfs 0.319, glmnet 0.322, abess 0.321: seven sets, five folds, k = 3,
#' 5, 10 and 20). In eleven regimes of simulations it found a share of 0.84 of the true features
#' (cdlsr without a ridge 0.83, alignment 0.54, rfs 0.70, glmnet 0.60, abess 0.72), with the lowest
#' error on new samples. `Rscript bench/response.R` and `Rscript bench/usefulness.R` of the sources
#' repeat these studies.
#'
#' For one number per sample this default is the wrong choice
#' * where all features that carry the response are wanted, not the fewest that predict it: of
#'   features that can replace each other it selects one; [ftest()] ranks them all;
#' * where k is far above the number of relevant features: it finds them and fills the set with
#'   noise. [cv_rowsparse()] chooses the number; the default of 50 is not adapted to the data;
#' * where effects are many, small and of one sign, or features share one factor: it found 0.44 of
#'   the true features with correlations of 0.5 throughout, though its error was no higher than that
#'   of other methods;
#' * with few samples and k above a fifth of their number: the folds hardly distinguish the ridges.
#'   With 60 samples of the seven sets its mean error at k = 20 was 0.474, and 0.411 with
#'   `method = "alignment"` (at k = 4 and 9 the two are equal);
#' * with responses far from normal, such as counts and times: use `log1p(y)` or `sqrt(y)`, and see
#'   `y` in [cdlsr()].
#'
#' @section Units:
#' Methods without labels depend on variances, so a feature measured in large numbers counts more.
#' `rowsparse(mtcars, k = 3)` selects such features, `rowsparse(mtcars, k = 3, scale = TRUE)` does
#' not. A message of class `rowsparse_message_scale` names `scale` where the method does not scale
#' and a matrix or data frame of 3 to 500 features that vary has one of at least a hundred times the
#' median variance. Pixels, spectra and genes share a unit, and usually have more features;
#' expression objects never give the message. `scale = TRUE` or `FALSE` silences it.
#'
#' @section The dimension of the subspace:
#' Where a method needs the dimension `m` (or the number of `clusters`) and the caller leaves it
#' out, here or in the method itself, it is the elbow of the leading eigenvalues of the scatter
#' matrix. The elbow is the point furthest below the straight line from the first to the last of the
#' logarithms of the (at most 30) largest eigenvalues; of two equally far points the first is taken.
#' If no point lies below the line, as in a straight or concave spectrum, m is the number of
#' eigenvalues above the mean, at most 10. Differences at the rounding level count as ties. The
#' number is at least 2 for clusters, and at most `k` where k features must carry m components
#' ([dscofs()], [fspca()]). [css()] takes as many components as carry 90% of the variance, at most
#' 50, and `m = Inf` for all of the data.
#'
#' @section Ties:
#' Several sets may serve equally well, and no method can then distinguish them: features with equal
#' scores at the cut of the ranking, scores that are all zero, components followed by an equal
#' eigenvalue. In these cases `unique` is `FALSE`, and a warning of class
#' `rowsparse_warning_not_unique` is given. `unique` is `NA` for a ranking, as its scores alone do
#' not say where it is cut. `ties` is a list: `places`, the first and last place of features in the
#' ranking with the same score; `reasons`, in words. Ties that make no difference, among the
#' selected or among the other features, are not reported. `unique = TRUE` means that no such tie
#' was found, not that a local solution is the only one.
#'
#' The choice among tied features does not depend on the order of the columns, but on their values:
#' their variance, then their projection on a fixed direction of the samples, then their mean.
#' Copies are taken in column order. So are tied features of more than 1e7 stored numbers, and of
#' [moments()] that do not distinguish them.
#'
#' @section The redundancy guard:
#' Neighbouring pixels or co-regulated genes have nearly the same score, and a ranking by score
#' selects them together. With `diverse = 0.9` the ranking is followed from the top, and a feature
#' is skipped when the features already taken reproduce it: when the share of its variance that a
#' linear regression on the \eqn{t} taken features explains, adjusted for their number,
#' \deqn{1 - \frac{\mathrm{RSS} / (n - 1 - t)}{\mathrm{TSS} / (n - 1)},}{
#' 1 - (RSS / (n - 1 - t)) / (TSS / (n - 1)),}
#' reaches this number. When the ranking ends before k features are found, the best of the skipped
#' features are added, with a warning. The guard changes `selected` and `ranking`. Scores, loadings,
#' and the results that [predict()][predict.rowsparse] computes from them, remain those of the
#' method. The guard needs only the cross-products of the examined features, so it works for dense
#' and sparse data and for [moments()].
#'
#' @section Batches:
#' With `block` every method uses the data without the means of the levels,
#' \deqn{z_{ij} = x_{ij} - \frac{1}{n_l} \sum_{i' \in l} x_{i'j},}{
#'   z_ij = x_ij - sum_(i' in l) x_i'j / n_l,}
#' with l the level of sample i and \eqn{n_l} its number of samples. Sums of squares have n - levels
#' degrees of freedom: in variances, in scales (the pooled deviation within the levels) and in the
#' largest number of dimensions. A feature that is constant within each level counts as constant. A
#' numeric response, or the indicators of classes, are centred in the same way; least squares then
#' has an intercept for each level. A response that does not vary within the levels is an error.
#' Sparse data stay sparse.
#'
#' `block` may be several variables: a data frame or list of factors and numbers, or a formula,
#' `block = ~ batch + donor + age`. Variables of a formula are columns of `colData(x)` (of `data`,
#' where x is a formula), or else are looked up where the formula was written. For an experiment
#' names of columns also work, `block = c("batch", "donor")`. Every method then uses the residuals
#' of the features in a least-squares fit on all variables, as
#' `residuals(lm(x ~ batch + donor + age))`, plus their means; the response is treated in the same
#' way. Sums of squares have n less the rank of the design as degrees of freedom. Labels are
#' factors, and numbers are covariates with one slope each: `factor(batch)` makes levels of them.
#' Redundant variables change nothing; where the levels of one factor determine all others (donors,
#' each in one batch), this factor is the block. Otherwise residuals are dense. Residuals of sparse
#' data are held in memory if they take a quarter of it at most, else made in blocks of rows at each
#' reading; those of [row_blocks()] need one more pass. With several variables new samples are
#' predicted with the overall means. `moments()` refuses several variables, and so do functions that
#' fit parts of the samples, such as [cv_rowsparse()] and [tune_rowsparse()].
#'
#' Each level needs at least two samples. Methods that use the values before centring use
#' \eqn{z_{ij}} plus the mean of the feature over all samples. `block` removes only means:
#' differences between the samples of one level remain, and so do differences of spread between
#' levels. Where a level holds only one group of interest, differences between the groups are
#' removed with the means.
#'
#' Where parts of the samples are fitted, as in [tune_rowsparse()] and [cv_rowsparse()], a sample
#' that is alone in its level in a part is left out of the part, and a part with samples of one
#' level only has no block. Held-out samples are predicted with the means of their level, or with
#' the overall means where the level is not in the fit.
#'
#' @section What y is:
#' Factors, strings and logicals are classes; numbers are numbers, whole or not, integers or
#' doubles, in every function of the package and in every fold. Where numbers could be labels (0 and
#' 1, at most 10 different whole numbers, or 1, 2, ..., K or 0, 1, ..., K - 1, each with at least
#' two samples on average) a message of class `rowsparse_message_response` says once how they are
#' treated: `factor(y)` makes classes of them. Methods that need classes ([ilfs()], [s2dfs()],
#' [slap()]) refuse all numbers with the same hint.
#'
#' @section Formulas:
#' `rowsparse(Species ~ ., data = iris, k = 2)` is `rowsparse(iris[1:4], iris$Species, k = 2)`, and
#' `rowsparse(~ ., data = iris[1:4], k = 2)` has no response. See [tables] for the terms of
#' formulas, and for columns that are not numbers.
#'
#' @section Features that are locked in or out:
#' `exclude` leaves features out: the fit is that of the data without them, so they are not
#' selected, do not influence other selections, and do not count in shares of the variance. In the
#' fit they have score 0, come last in the ranking, have zero rows in loadings, and are listed in
#' `excluded`. In expression data mitochondrial and ribosomal genes are often excluded:
#' `exclude = "^MT-|^RP[SL]"`. One string that is not the name of a feature and contains a mark of a
#' regular expression (`^` in front, `$` at the end, `|`, `[`, `*` or `.+`) is taken as a regular
#' expression, and a message of class `rowsparse_message_pattern` says what it matches, once in a
#' session.
#'
#' `include` selects features in any case; `k` counts them, and they are listed in `included`. They
#' lead the ranking, in their order among themselves, and have at least the largest score of the
#' others. The column `include` of [rowsparse_methods()] tells how the others are chosen. Methods
#' with `"given"` choose them given the included features, so a feature that the included ones
#' reproduce is of no use. Methods with `"first"` rank the others as without `include`. A constant
#' feature that is included is kept, with a warning of class `rowsparse_warning_include`.
#'
#' Features that do not exist, that are both included and excluded, or that are too many for k are
#' an error.
#'
#' @inheritParams bsufs
#' @param groups One label for each column of x, or a list of columns by name or number: `k` then
#'   counts [groups], which are selected as a whole.
#' @param x Data, samples in rows and features in columns, as in every method: see [bsufs()]. For a
#'   `SummarizedExperiment` or `SingleCellExperiment` see [experiments]; for columns that are not
#'   numbers see [tables]. Or a formula, with `data`:
#'   see Formulas.
#' @param y Response for supervised methods: class labels or numbers, one per sample, see What y is;
#'   for a `SummarizedExperiment` also the name of a column of `colData(x)`. Unsupervised methods do
#'   not use it, [alignment()] does where it is given. A wrong length is an error with every method:
#'   `rowsparse(x, 5)` asks whether `k = 5` was meant.
#' @param k Number of features; the default is lowered when the data have fewer.
#' @param method Name of a method, see [rowsparse_methods()]; `NULL` for the default method, see The
#'   default method.
#' @param ... Further arguments of the method, such as `m`, `scale` and `control`.
#' @param weights Weights of the samples, for methods that take them ([cdlsr()], [pgd()]): numbers,
#'   `"balanced"`, the name of a column of `colData(x)`, or, with a formula, an expression of
#'   columns of `data`, as in [stats::lm()].
#' @param rules Rules of a panel, see [panel_rules()].
#' @param data The data frame for a formula, see [tables].
#' @param na.action How to treat rows with missing values, where x is a formula or a data frame: a
#'   function such as [stats::na.omit()], or its name. `NULL`: with a formula the value of
#'   `options("na.action")`, otherwise an error.
#' @param diverse Skip features that better ones reproduce? The share of the variance, adjusted and
#'   between 0 and 1, from which a feature counts as reproduced; `TRUE` is 0.9. Skipped features are
#'   ranked after the selected ones, and no score exceeds that of the last selected one.
#' @param subset The samples to use. For a `SummarizedExperiment`: `TRUE` and `FALSE`, numbers,
#'   names, or the name of a column of `colData(x)` with `TRUE` and `FALSE`; if `y` is not the name
#'   of a column it has one entry for every sample of x. With a formula an expression of columns of
#'   `data`, as in [stats::lm()].
#' @param return `"fit"`, or for a `SummarizedExperiment` also `"object"`: x with the result in its
#'   `rowData` and `metadata`.
#'
#' @return A fit of class `c("<method>", "rowsparse")` with exactly k features in `selected`, in
#'   rank order. `explained` is the share of the centred sum of squares of x that the selected
#'   features reproduce, or the share of the response that the method's fit reproduces. It is `NA`
#'   beyond 50 features when it takes more than 2e9 multiplications, and for scores of single
#'   features when it takes more than 2e7; [compare_panels()] then gives it. With
#'   `diverse` also `diverse`, a list with `threshold`, `skipped` (the skipped columns) and
#'   `filled` (how many of them were added again). With `return = "object"` the experiment x, with
#'   columns `rowsparse_score`, `rowsparse_rank` and `rowsparse_selected` in its `rowData`, and the
#'   fit as `metadata(x)$rowsparse`.
#' @section Errors:
#' Of class `rowsparse_error`: unusable data, arguments that the method does not have, `k` out of
#' range, a supervised method without `y`. Of class `rowsparse_error_orientation` when the samples
#' seem to be in the columns: `y` has one entry per column, or the row names are identifiers of
#' genes or probes. Of class `rowsparse_error_scale` when squares of the data overflow or underflow:
#' units from 1e-150 to 1e150 are allowed, and with `scale = TRUE` units of each feature from 1e-300
#' to 1e300. If a computation still fails, the error is of class `rowsparse_error_numerical`. It is
#' of class `rowsparse_error_memory` if a fit would take more memory than the machine has, and of
#' class `rowsparse_error_time` if there are more samples than the method can serve, as its work
#' grows with their square or cube. The message says what to change. An interrupt (Ctrl-C)
#' and a limit set by [setTimeLimit()] stop every method within a fraction of a second and remain
#' R's own conditions, for any number of threads.
#' @section Constant features: Constant features have score 0 and are ranked last. A warning of
#'   class `rowsparse_warning_constant` says so once per session for data of one size with one
#'   number of them, and in every call with `options(rowsparse.warn_constant = "always")`. Constant
#'   features in `include` give a warning of class `rowsparse_warning_include` in every call.
#' @seealso [rowsparse_methods()], [rowsparse_path()] and [tune_rowsparse()] to
#'   look at more than one k or penalty, [selected()], [compare_panels()],
#'   [evaluate_features()]
#' @examples
#' fit <- rowsparse(iris[, 1:4], k = 2)
#' fit
#' selected(fit)
#' head(predict(fit, iris))
#' rowsparse(Species ~ ., data = iris, k = 2) # for a response
#'
#' # features of one pattern left out, one selected in any case
#' rowsparse(iris[, 1:4], k = 2, include = "Sepal.Width", exclude = grep("^Petal.W", names(iris)))
#'
#' # near-copies of one feature: the guard takes one of them only
#' set.seed(1)
#' x <- matrix(rnorm(60 * 5), 60)
#' x <- cbind(3 * x[, 1] + matrix(rnorm(60 * 4, sd = 0.1), 60), 2 * x[, 2:3], x[, 4:5])
#' selected(rowsparse(x, k = 3, method = "bsufs", m = 3))
#' selected(rowsparse(x, k = 3, method = "bsufs", m = 3, diverse = TRUE))
#' @export
rowsparse <- function(x, y = NULL, k = 50, method = NULL, ..., data = NULL, include = NULL,
                      exclude = NULL, groups = NULL, block = NULL, weights = NULL, rules = NULL,
                      diverse = FALSE, subset = NULL, assay = NULL, na.action = NULL,
                      return = c("fit", "object")) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  wanted <- check_return(return, x)
  threshold <- diverse_threshold(diverse)
  request <- as_request("rowsparse", call, parent.frame(), x = x, y = y, k = k, method = method,
    rules = rules, ..., data = data, include = include, exclude = exclude, groups = groups,
    block = block, weights = weights, subset = subset, assay = assay, na.action = na.action
  )
  check_diverse(threshold, request$given)
  fit <- fit_request(request, k, missing(k), threshold)
  fit$call <- call
  fit$elapsed <- proc.time()[["elapsed"]] - started
  if (wanted == "object") marked_experiment(request$object, fit) else fit
}

# What a front door was asked: entry (of the method), x (as methods read it: matrix, row blocks or
# moments), y, given (its arguments), object (x as it was, without rows left out), assay,
# identifiers, and blueprint, omitted, n, rows of a table, see read_table(). `door`: the function;
# `call`, `frame`: its call and where this was made; `reserved`, `adapt`: functions of the entry,
# and of the arguments and the entry
as_request <- function(door, call, frame, x, y, k, method, ..., data = NULL, include = NULL,
                       exclude = NULL, groups = NULL, block = NULL, weights = NULL, subset = NULL,
                       assay = NULL, na.action = NULL, response = FALSE,
                       reserved = function(entry) NULL, adapt = function(given, entry) given) {
  check_places(k, method)
  formula <- inherits(x, "formula")
  if (formula) {
    table <- if (is.null(data)) y else data
    weights <- value_in_data(call[["weights"]], table, frame, "weights")
    subset <- value_in_data(call[["subset"]], table, frame, "subset")
  }
  table <- read_table(x, y, data, na.action, include, exclude, groups, response,
    if (formula) subset, door
  )
  x <- table[["x"]]
  y <- table[["y"]]
  check_several_samples(x, if (formula) "data" else "x")
  entry <- asked_entry(method, x, y, k = k)
  check_takes_weights(entry, weights)
  if (is.data.frame(data)) block <- block_variables(block, data)
  given <- check_arguments(entry, c(
    adapt(list(...), entry), list(weights = weights, block = block, assay = assay), table$locks
  ), reserved(entry))
  check_orientation(x, y)
  read <- read_experiment(x, y, rows_of_table(given, table), if (!formula) subset)
  read["y"] <- list(check_use_of_response(entry, read$x, read$y))
  c(list(entry = entry, object = x), read, table[c("blueprint", "omitted", "n", "rows")])
}

# As in lm(): an argument that may be computed from the columns of `data`, or be the name of one
value_in_data <- function(expression, data, frame, argument) {
  if (!is.data.frame(data)) {
    return(NULL)
  }
  value <- tryCatch(eval(expression, data, frame), error = function(e) {
    stop_rowsparse("names", argument, "must be computed from columns of `data`",
      conditionMessage(e), parent = e
    )
  })
  if (is_text(value) && value %in% names(data)) data[[value]] else value
}

check_several_samples <- function(x, argument) {
  n <- sample_count(x)
  if (!is.na(n) && n < 2) {
    stop_rowsparse("size", argument, "must have at least 2 samples (rows)", n)
  }
}

# the fit of a request with exactly k features
fit_request <- function(request, k, default, threshold) {
  entry <- request$entry
  given <- request$given
  data <- method_data(entry, request$x, given)
  k <- front_door_size(k, data, default)
  tell_units(entry, data, request$object, k, given)
  if (needs_dimension(entry, given)) data <- with_values_for(data, entry)
  own <- fit_sized(entry, request$x, request$y, data, k, given)
  fit <- select_exactly(own, data, k)
  if (!is.null(threshold)) fit <- resolve_unique(make_diverse(fit, data, k, threshold))
  changed <- !identical(fit$selected, own$selected)
  if (!needs_response(entry) && changed) {
    inside <- inner_index(fit$selected, data)
    work <- if (scores_alone(entry)) list(0, explained_beside)
    fit$explained <- do.call(explained_by, c(list(inside, data), work))
  } else if (has_regression(fit) && is.null(threshold) && is.na(fit$explained)) {
    fit$explained <- explained_by_first(fit, k)
  }
  if (changed) fit <- with_fitted(fit, data)
  tell_determined(fit, request)
  fit$default <- entry$reason
  fit$assay <- request$assay
  fit$identifiers <- request$identifiers
  fit <- with_left_out(fit)
  no_better <- words_no_better(fit)
  if (!is.null(no_better)) warn_rowsparse("no_better", paste0(fit_name(fit), ": ", no_better, "."))
  with_table(fit, request)
}

# a fit that reads the data once, of which the explained share would take most of the time
scores_alone <- function(entry) entry$family == "score" && !entry$explains

# a default gives way to small data, a request does not
front_door_size <- function(k, data, default) {
  if (default) k <- min(k, unit_count(data))
  check_locked_size(k, data)
  check_count(k, "k", 1L, unit_count(data))
}

# The share from which the guard takes a feature as reproduced; NULL: no guard
diverse_threshold <- function(diverse) {
  if (is.logical(diverse)) {
    return(if (check_flag(diverse, "diverse")) 0.9)
  }
  check_number(diverse, "diverse", 0, 1, open_lower = TRUE)
}

# the guard looks at single features
check_diverse <- function(threshold, given) {
  for (argument in if (!is.null(threshold)) intersect(c("groups", "rules"), names(given))) {
    stop_rowsparse("argument", "diverse", sprintf("must be FALSE with `%s`", argument))
  }
}

# what read_table() found, as several fits with the arguments `given` take it
read_for_fits <- function(entry, table, given) {
  given <- rows_of_table(given, table)
  check_orientation(table[["x"]], table[["y"]])
  read <- read_experiment(table[["x"]], table[["y"]], given)
  read["y"] <- list(check_use_of_response(entry, read$x, read$y))
  read
}

# the response, of which is told here once what it is taken for
check_use_of_response <- function(entry, x, y) {
  n <- sample_count(x)
  if (!is.null(y) && !is.na(n)) check_response_length(y, n)
  from_moments <- inherits(x, "rowsparse_moments") && !is.null(x$Sxy)
  if (needs_response(entry) && is.null(y) && !from_moments) {
    stop_rowsparse("type", "y", sprintf("must be given: %s is supervised", entry$name))
  }
  if (!needs_response(entry)) {
    return(y)
  }
  if (!is.null(y)) as_response(y, NROW(y))
  y
}

# Features of different units: of at most 500 (pixels and genes are more, and have one),
# one has a hundred times the median of the variances. Whoever says `scale` has decided.
tell_units <- function(entry, data, object, k, given) {
  plain <- is.matrix(object) || is.data.frame(object)
  asks <- plain && takes(entry, "scale") && is.null(given[["scale"]]) && !isTRUE(data$scaled)
  varying <- which(!data$constant)
  if (!asks || k >= data$d || length(varying) < 3L || length(varying) > 500L) {
    return(invisible())
  }
  variance <- data$deviation[varying]^2
  largest <- which.max(variance)
  if (variance[largest] < 100 * stats::median(variance)) {
    return(invisible())
  }
  say_rowsparse("scale", sprintf(paste(
    "The variances of the features differ by orders of magnitude (%s: %.3g, the median: %.3g),",
    "and %s takes large numbers as they are. If the units differ, say scale = TRUE; if they",
    "are the same, scale = FALSE."
  ), data_column_label(data, varying[largest]), variance[largest], stats::median(variance),
  entry$name))
}

# a fit that knows at least k features, as far as the method can
fit_sized <- function(entry, x, y, data, k, given) {
  free <- setdiff(or_default(entry$lowered, entry$penalty), names(given))
  if (length(free) == 0L) {
    return(fit_method(entry, x, y, data, min(k, largest_size(entry, data, given)), given))
  }
  fit <- lower_penalty(entry, x, y, data, k, given, free)
  warn_of_end(fit, k)
  fit
}

# The penalties that the caller left free are halved until k features have a
# nonzero score; what becomes of the last fit is told by the caller.
lower_penalty <- function(entry, x, y, data, k, given, free, halvings = 20L) {
  one_fit <- function(given) {
    suppressWarnings(fit_method(entry, x, y, data, k, given),
      classes = c("rowsparse_warning_not_unique", "rowsparse_warning_convergence")
    )
  }
  fit <- one_fit(given)
  wanted <- min(k, varying_units(data))
  while (sum(unit_view(fit)$scores > 0) < wanted && halvings > 0L) {
    for (penalty in free) given[[penalty]] <- fit$parameters[[penalty]] / 2
    fit <- one_fit(given)
    halvings <- halvings - 1L
  }
  fit
}

# Where a method cannot choose as many as k, its scores of the others are rounding
# errors: these follow in the order of their variance.
select_exactly <- function(fit, data, k) {
  served <- units_in(fit, fit$selected)
  if (served > 0 && served < k) {
    warn_rowsparse("fill", sprintf(
      "%s can choose at most %d %ss here; the others follow in the order of their variance.",
      fit_name(fit), served, unit_noun(fit)
    ))
    variance <- raw_square(data)
    chosen <- inner_index(fit$selected, data)
    ranking <- rank_features(variance, NULL, data$constant, chosen, variance)
    fit$ranking <- c(outer_index(ranking, data), fit$excluded)
    fit$scores <- lower_scores(fit$scores, fit$ranking)
  }
  fit$selected <- first_columns(fit, k)
  fit$groups <- fit_groups(fit, fit$groups)
  if (served != k) fit <- report_unique(fit)
  if (served == 0 && !identical(fit$unique, FALSE)) warn_filled(fit, k)
  fit
}

# the set is another one than that of the method
report_unique <- function(fit) {
  known <- identical(fit$unique, FALSE)
  fit <- resolve_unique(fit)
  if (!known) warn_not_unique(fit)
  fit
}

make_diverse <- function(fit, data, k, threshold) {
  ranking <- utils::head(inner_index(fit$ranking, data), data$d)
  found <- diverse_features(data, ranking, k, threshold)
  found[c("selected", "skipped")] <- lapply(found[c("selected", "skipped")], outer_index, data)
  if (found$filled > 0) {
    warn_rowsparse("fill", sprintf(
      "only %d features are not reproduced by better ones at `diverse` = %g; %s",
      k - found$filled, threshold,
      sprintf("the best %d of those skipped fill up.", found$filled)
    ))
  }
  fit$selected <- found$selected
  fit$ranking <- c(found$selected, setdiff(fit$ranking, found$selected))
  fit$scores <- lower_scores(fit$scores, fit$ranking)
  fit$margins <- fit$near_copies <- NULL # of the features as they entered
  fit$diverse <- c(list(threshold = threshold), found[c("skipped", "filled")])
  fit
}
