spcafs <- function(x, m, lambda = NULL, p = 0.5, normalize = TRUE, start = NULL, scale = FALSE,
                   control = rowsparse_control(), assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  normalize <- check_flag(normalize, "normalize")
  lambda <- check_penalty(lambda, "lambda")
  p <- check_number(p, "p", 0, 1, open_lower = TRUE)
  control <- resolve_control(control, tol = 1e-6, maxit = 200L, inner_tol = 1e-6, inner_maxit = 50L)
  data <- as_data(x, scale, assay)
  m <- check_dimension(m, data)
  operator <- as_operator(data, m)
  leading <- leading_eigenvectors(operator, m)
  start <- as_start(start, data, m, leading$vectors)
  level <- mean(leading$values) * operator_factor(data, normalize)
  size <- m / data$d
  parameters <- list(lambda = or_default(lambda, 0.1 * level * 2/p * size^(1 - p/2)), p = p, eps = 1e-10 * size, normalize = normalize)
  fit <- .Call(C_spcafs, unclass(operator), start, c(parameters, control[c("tol","maxit","inner_tol","inner_maxit")]))
  scores <- row_norms(fit$W)
  scores[scores < 1e-8] <- 0
  new_fit("spcafs", data, scores = scores, ties = data$square, loadings = fit$W,
    objective = fit$objective, iterations = fit$iterations,
    converged = fit$converged, status = fit$status, kkt = fit$kkt,
    parameters = c(list(m = m), parameters, control),
    call = call, started = started, verbose = control$verbose, products = fit$products)
}
