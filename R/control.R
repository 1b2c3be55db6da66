#' Settings of the iterations
#'
#' Collects the settings that all methods share. `NULL` means the method's own documented default.
#'
#' @param tol Relative change of the objective below which the outer iteration stops.
#' @param maxit Largest number of outer iterations, at most a million.
#' @param inner_tol,inner_maxit The same for an inner solver where a method has one: tolerance on
#'   its relative gradient norm, and its iteration limit.
#' @param verbose Print a line about the fit when it ends.
#' @param ... Not used: unknown names are errors.
#' @return A list of class `rowsparse_control`.
#' @examples
#' rowsparse_control(tol = 1e-8, maxit = 1000)
#' @export
rowsparse_control <- function(tol = NULL, maxit = NULL, inner_tol = NULL, inner_maxit = NULL,
                              verbose = FALSE, ...) {
  if (...length() > 0L) check_control_names(list(...))
  out <- list(tol = tol, maxit = maxit, inner_tol = inner_tol, inner_maxit = inner_maxit)
  for (name in names(Filter(Negate(is.null), out))) {
    out[[name]] <- if (endsWith(name, "tol")) {
      check_number(out[[name]], name, 0)
    } else {
      check_count(out[[name]], name, 1L, 1e6) # room for the history is taken beforehand
    }
  }
  out$verbose <- check_flag(verbose, "verbose")
  structure(out, class = "rowsparse_control")
}

control_names <- function() setdiff(names(formals(rowsparse_control)), "...")

# the user's control with a method's defaults filled in; checked again, as it may
# have been made or changed by hand
resolve_control <- function(control, tol, maxit, inner_tol = NULL, inner_maxit = NULL) {
  refuse_if(!is.list(control), "type", "control", "must come from rowsparse_control()",
    describe(control)
  )
  check_control_names(control)
  control <- do.call(rowsparse_control, unclass(control), quote = TRUE)
  defaults <- list(tol = tol, maxit = maxit, inner_tol = inner_tol, inner_maxit = inner_maxit)
  open <- names(Filter(is.null, control[names(defaults)]))
  control[open] <- defaults[open]
  control
}

check_control_names <- function(control) {
  given <- names(control)
  unknown <- setdiff(given, control_names())
  nameless <- length(control) > 0 && is.null(given)
  refuse_if(length(unknown) > 0 || anyDuplicated(given) || nameless, "control", "control",
    "must hold settings of rowsparse_control() only, each by its name and once",
    if (length(given) > 0) paste(vapply(unique(given), quoted, ""), collapse = ", "),
    if (length(unknown) > 0) did_you_mean(unknown[1], control_names())
  )
}

#' @export
print.rowsparse_control <- function(x, ...) {
  shown <- vapply(unclass(x), function(value) {
    if (is.null(value)) "the method's own" else format(value, digits = 4)
  }, "")
  cat("Settings of the iterations:", sprintf("  %-12s %s", names(shown), shown), sep = "\n")
  invisible(x)
}

# ---- limits of time ------------------------------------------------------------------

# Limits of seconds are limits of elapsed time, which begins at the call: what is left of one
# at `started`, proc.time()[["elapsed"]]
time_left <- function(started, limit) max(limit - (proc.time()[["elapsed"]] - started), 0)
