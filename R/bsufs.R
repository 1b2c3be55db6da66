bsufs <- function(x, m, lambda1 = NULL, lambda2 = NULL, p = 0.5, q = 0.5, beta1 = NULL,
                  beta2 = NULL, normalize = TRUE, solver = c("mm", "rtr", "pencf"),
                  start = NULL, scale = FALSE, control = rowsparse_control(), assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  data <- as_data(x, scale, assay)
  m <- check_dimension(m, data)
  normalize <- check_flag(normalize, "normalize")
  solver <- check_choice(solver, "solver", c("mm", "rtr", "pencf"))
  p <- check_number(p, "p", 0, 1)
  q <- check_number(q, "q", 0, 1)
  control <- pca_control(control, solver)

  operator <- as_operator(data, m)
  leading <- leading_eigenvectors(operator, m)
  parameters <- bsufs_parameters(
    list(lambda1 = lambda1, lambda2 = lambda2, beta1 = beta1, beta2 = beta2, p = p, q = q),
    data, leading, normalize
  )
  first <- as_start(start, data, m, leading)
  fit <- .Call(C_bsufs, unclass(operator), first,
    c(parameters, solver_settings(solver, control), normalize = normalize))

  new_fit("bsufs", data,
    scores = row_norms(fit$V), ties = row_norms(fit$W), loadings = fit$V,
    objective = fit$objective, iterations = fit$iterations, converged = fit$converged,
    status = fit$status, kkt = fit$kkt,
    parameters = c(parameters, list(m = m, normalize = normalize, solver = solver, scale = scale), control),
    call = call, started = started,
    W = fit$W, U = fit$U, inner_iterations = fit$inner, products = fit$products,
    verbose = control$verbose
  )
}
pca_control <- function(control, solver) {
  defaults <- switch(solver, mm = c(1e-6, 1e-6, 1), rtr = c(1e-5, 1e-6, 100), pencf=c(1e-5,1e-8,1000))
  resolve_control(control, tol = defaults[1], maxit = 500L, inner_tol = defaults[2], inner_maxit = as.integer(defaults[3]))
}
solver_settings <- function(solver, control) {
  list(method = match(solver, c("mm","rtr","pencf")) - 1L, tol = control$tol, maxit = control$maxit, inner_tol = control$inner_tol, inner_maxit = control$inner_maxit)
}
as_start <- function(start, data, m, leading) {
  if (is.null(start)) return(leading$vectors)
  if (inherits(start, "rowsparse")) start <- if (is.null(start$W)) start$loadings else start$W
  if (!is.matrix(start) || !is.numeric(start) || nrow(start) != data$d || ncol(start) != m) {
    stop_rowsparse("size", "start", sprintf("must be a numeric %d x %d matrix", data$d, m), describe(start))
  }
  check_finite_numbers(start, "start")
}
row_norms <- function(W) sqrt(rowSums(W^2))
bsufs_parameters <- function(given, data, leading, normalize) {
  factor <- if (normalize) data$d / data_trace(data) else 1
  level <- factor*mean(leading$values)
  g <- function(n, v) if (is.null(given[[n]])) v else given[[n]]
  beta1 <- g("beta1", level); beta2 <- g("beta2", level)
  W <- leading$vectors
  l1max <- beta2*.Call(C_prox_lambda_at, max(row_norms(W)), given$p)
  l2max <- beta1*.Call(C_prox_lambda_at, max(abs(W)), given$q)
  list(lambda1 = g("lambda1", 0.05*l1max), lambda2 = g("lambda2", 0.01*l2max), beta1=beta1,beta2=beta2,p=given$p,q=given$q, tau = if (normalize) 1e-3*level else 1e-3)
}
