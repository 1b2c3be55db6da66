# One fit by a method of the package, or by a function among `candidates`, within a limit of
# processor time.

# "css, cdlsr(ridge = 1)" -> list of calls, named by their text
parse_methods <- function(text) {
  calls <- as.list(str2lang(sprintf("list(%s)", text)))[-1]
  names(calls) <- vapply(calls, function(call) paste(deparse(call, 500), collapse = ""), "")
  calls
}

# name of the method and its arguments
method_of <- function(call) as.character(if (is.call(call)) call[[1]] else call)
arguments_of <- function(call) if (is.call(call)) lapply(as.list(call)[-1], eval, globalenv())

# list(selected, cpu, elapsed, note): note is "" or says why nothing was selected
# ("limit", or the message of the error)
limited_fit <- function(call, x, y, k) {
  fixed_seed(1)
  name <- method_of(call)
  own <- candidates[[name]]
  arguments <- c(list(x = x, k = k), if (is.null(own)) list(method = name), arguments_of(call))
  if (!is.null(y)) arguments$y <- y
  note <- ""
  time <- system.time(fit <- tryCatch(
    within_seconds(do.call(if (is.null(own)) rowsparse else own, arguments), seconds_limit),
    error = function(e) note <<- conditionMessage(e)
  ))
  if (!is.null(own) && !nzchar(note)) fit <- list(selected = fit)
  cpu <- time[["user.self"]] + time[["sys.self"]]
  if (nzchar(note) && cpu >= 0.95 * seconds_limit) note <- "limit"
  list(
    selected = if (!nzchar(note)) fit$selected, cpu = cpu, elapsed = time[["elapsed"]], note = note
  )
}

# names of methods by part: `alignment` fits both
part_methods <- function(part) {
  known <- rowsparse_methods()
  union("alignment", known$method[known$supervised == (part == "labels")])
}

# what is run when nothing is asked for, in this order, and the order of the tables
usual_order <- list(
  clusters = c(
    "alignment", "css", "variance", "bsufs", "fspca", "kmeans_ufs", "spca_psd", "dscofs", "spcafs"
  ),
  labels = c("alignment", "cdlsr", "rfs", "ftest")
)

usual_methods <- function(part) {
  fit <- part_methods(part)
  known <- intersect(usual_order[[part]], fit)
  c(known, if (part == "clusters") setdiff(fit, known))
}

# those of the calls that fit the part; unknown methods are named and left out
chosen_methods <- function(part, text) {
  calls <- parse_methods(if (is.null(text)) toString(usual_methods(part)) else text)
  methods <- vapply(calls, method_of, "")
  unknown <- setdiff(methods, unlist(lapply(names(protocol_version), part_methods)))
  if (length(unknown) > 0) message("*** no method ", toString(unknown), ": left out ***")
  calls[methods %in% part_methods(part)]
}
