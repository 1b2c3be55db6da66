fspca <- function(x, m, k, solver = c("go", "ipu", "exact"), scale = FALSE,
                  control = rowsparse_control(), assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  solver <- check_choice(solver, "solver", fspca_solvers)
  control <- resolve_control(control, tol = 0, maxit = 100L)
  data <- as_data(x, scale, assay)
  m <- check_dimension(m, data)
  k <- check_selection_size(k, m, data)
  if (solver == "exact") check_enumeration(data$d, k, m)

  operator <- if (solver == "exact") explicit_operator(data) else as_operator(data, m)
  leading <- leading_eigenvectors(operator, m)
  fit <- .Call(C_fspca, unclass(operator), leading, k, match(solver, fspca_solvers) - 1L, control$maxit)

  loadings <- matrix(0, data$d, m)
  loadings[fit$subset, ] <- fit$V
  inside <- fit$subset[order(-fit$scores[fit$subset], method = "radix")]
  new_fit("fspca", data,
    scores = cap_scores(fit$scores, inside), ties = data$square, selected = inside, loadings = loadings,
    objective = fit$objective, iterations = length(fit$objective) - 1L,
    converged = fit$converged, status = fit$status,
    parameters = c(list(m = m, k = k, solver = solver), control),
    call = call, started = started, verbose = control$verbose,
    values = fit$values, explained = sum(fit$values) / data_trace(data), global = fit$is_global,
    nodes = fit$nodes
  )
}
fspca_solvers <- c("go", "ipu", "exact")
cap_scores <- function(scores, selected) {
  outside <- setdiff(seq_along(scores), selected)
  scores[outside] <- pmin(scores[outside], min(scores[selected]))
  scores
}
check_enumeration <- function(d, k, m) {
  if (k > m && choose(d, k) * k^3 > 1e9) stop_rowsparse("size", "solver", "exact too large")
}
explicit_operator <- function(data) {
  if (data$kind == "moments") return(data)
  data$S <- .Call(C_gram, unclass(data))
  data$kind <- "moments"
  data$x <- data$weight <- NULL
  data
}
