#' Data that every function takes
#'
#' What x, y and the arguments beside them may be, for [rowsparse()], [cv_rowsparse()],
#' [rowsparse_path()] and every method.
#'
#' @section Data: Samples are in rows and features in columns: a numeric or logical matrix, a data
#'   frame of numbers (the front doors take factors, text and dates as well, see [tables]), a
#'   `dgCMatrix` or what Matrix turns into one (never made dense), a `DelayedMatrix`, [moments()] or
#'   [row_blocks()]. A `SummarizedExperiment` or `SingleCellExperiment`, with features in rows, is
#'   transposed, see [experiments]. Names of features must be distinct. Constant features have score
#'   0 and are ranked last; a warning of class `rowsparse_warning_constant` says so once per session
#'   for data of one size, and in every call with `options(rowsparse.warn_constant = "always")`.
#'
#' @section What y is:
#' Factors, strings and logicals are classes; numbers are numbers, whole or not, in every function
#' and in every fold. A data frame of one column is that column. Where numbers could be labels (0
#' and 1, at most 10 different whole numbers, or 1, ..., K or 0, ..., K - 1, each with at least two
#' samples on average) a message of class `rowsparse_message_response` says once how they are
#' treated: `factor(y)` makes classes of them. Methods that need classes refuse all numbers with the
#' same hint. Censored times are `survival::Surv()`, or a matrix or data frame with columns `time`
#' and `status`, for [rowsparse_glm()] alone, which reads classes, counts and shares by its
#' `family`. A selected feature that alone gives the response to rounding is told by a message of
#' class `rowsparse_message_determined`.
#'
#' @section Features that are locked in or out: `exclude` leaves features out: the fit is that of
#' the data without them. In the fit they have score 0, come last in the ranking, have zero rows in
#' loadings, and are listed in `excluded`. One string that is not the name of a feature and contains
#' a mark of a regular expression (`^` in front, `$` at the end, `|`, `[`, `*` or `.+`), such as
#' `"^MT-|^RP[SL]"`, leaves out what it matches; a message of class `rowsparse_message_pattern` says
#' so, once in a session.
#'
#' `include` selects features in any case; `k` counts them, and they are listed in `included`. They
#' lead the ranking, in their order among themselves, and have at least the largest score of the
#' others. The column `include` of [rowsparse_methods()] tells how the others are chosen: `"given"`
#' the included features, so that a feature that these reproduce is of no use, or with the included
#' ones `"first"` and the others as without `include`. A constant feature that is included is kept,
#' with a warning of class `rowsparse_warning_include`.
#'
#' @section Batches:
#' With `block` every method uses the data without the means of the levels,
#' \deqn{z_{ij} = x_{ij} - \frac{1}{n_l} \sum_{i' \in l} x_{i'j},}{
#'   z_ij = x_ij - sum_(i' in l) x_i'j / n_l,} with l the level of sample i and \eqn{n_l} its number
#' of samples, at least two. Sums of squares have n - levels degrees of freedom: in variances, in
#' scales (the pooled deviation within the levels) and in the largest number of dimensions. A
#' numeric response, or the indicators of classes, are centred in the same way, and must vary within
#' the levels. Methods that use the values before centring use \eqn{z_{ij}} plus the mean of the
#' feature over all samples. Sparse data stay sparse. `block` removes means only, and with them
#' differences between groups of interest where a level holds one group alone.
#'
#' `block` may be several variables: a data frame or list of factors and numbers, names of columns
#' of `colData(x)`, or a formula, `~ batch + donor + age`, of columns of `colData(x)` or `data`.
#' Every method then uses the residuals `residuals(lm(x ~ batch + donor + age))` plus the means, and
#' of the response as well; degrees of freedom are n less the rank of the design. Where the levels
#' of one factor determine all others (donors, each in one batch), this factor is the block;
#' otherwise residuals are dense: those of sparse data are held in memory if they take a quarter of
#' it at most, else made in blocks of rows at each reading. New samples are predicted with the
#' overall means. [moments()] and [cv_rowsparse()] refuse several variables.
#'
#' Where parts of the samples are fitted, a sample that is alone in its level in a part is left out
#' of the part, and a part with samples of one level only has no block. Held-out samples are
#' predicted with the means of their level, or with the overall means where the fit lacks it.
#'
#' @name rowsparse_data
#' @seealso [tables], [experiments], [groups], [moments()], [row_blocks()]
NULL

#' Errors, warnings and messages
#'
#' Every condition of the package has a class, by which it can be caught: errors
#' `rowsparse_error`, warnings `rowsparse_warning`, messages `rowsparse_message`, each with a
#' subclass, such as `rowsparse_error_range`. An error names the argument (also as its element
#' `argument`), the rule, what was given, and what to change, and comes before any work.
#'
#' @section Errors:
#' \tabular{ll}{
#'   `type`, `size`, `length`, `range`, `choice` \tab kind, shape, length or value of an argument\cr
#'   `argument`, `missing`, `control` \tab an argument or setting that is not taken here, or is
#'     needed\cr
#'   `block`, `groups`, `rules`, `start` \tab one that does not go with the data or with others\cr
#'   `names` \tab features or columns that are not known, or names given twice\cr
#'   `nonfinite`, `constant`, `zero`, `identifier` \tab gaps, data or responses that do not vary,
#'     samples without counts, row names as a column\cr
#'   `class`, `samples` \tab folds without a class; a fit that did not keep its samples\cr
#'   `separation` \tab coefficients of a likelihood that have no end without a ridge\cr
#'   `orientation` \tab samples seem to be in the columns: y has one entry per column, or the row
#'     names are identifiers of genes or probes\cr
#'   `scale` \tab squares over- or underflow: units from 1e-150 to 1e150 are allowed, with
#'     `scale = TRUE` units of each feature from 1e-300 to 1e300\cr
#'   `memory`, `time` \tab more memory than the machine has; more samples than a method can serve
#'     whose work grows with their square or cube\cr
#'   `package`, `read`, `worker` \tab a package that is not installed, an assay that cannot be read,
#'     a worker that ended\cr
#'   `numerical`, `ties`, `internal` \tab a computation failed
#' }
#'
#' @section Warnings:
#' \tabular{ll}{
#'   `convergence`, `descent` \tab the iteration ended at its limit; the objective rose\cr
#'   `zero`, `fill` \tab a penalty left no feature, or fewer than k: others follow in the order of
#'     a second criterion\cr
#'   `not_unique` \tab other features would have served as well, see `ties` of a fit\cr
#'   `rank` \tab `m` is above the rank of the data, or fewer than k features are independent\cr
#'   `events` \tab fewer than two events for each feature\cr
#'   `constant`, `include`, `levels` \tab features that do not vary, locked in or not; new levels\cr
#'   `isolated`, `imputed` \tab samples without an edge in a graph; filled gaps\cr
#'   `no_better` \tab on samples left out, the set predicts no better than the mean or the shares\cr
#'   `range`, `limit` \tab values beyond the range of doubles; predictions far from the response\cr
#'   `internal` \tab a bound that was wrong, and is left out
#' }
#'
#' @section Messages:
#' `response` and `determined` on y, `pattern`, `missing` and `symbols` on features left out or
#' found by symbol, `orientation` on cells that seem to be in the columns, `scale` on units, `folds`
#' on fewer folds than asked for, `replaced` on a selection that `rowData` held before; `counts`,
#' `table`, `names`, `rows`, `block` and `blocks` on data that were read in a way worth knowing:
#' most once in a session.
#'
#' @section Interrupts:
#' An interrupt (Ctrl-C) and a limit set by [setTimeLimit()] stop every method within a fraction of
#' a second, and remain R's own conditions.
#' @name rowsparse_conditions
NULL
