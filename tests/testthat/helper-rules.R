# Small problems with rules of a panel, and all panels that obey them.

# x (n x d), y, k and rules: overlapping sets, numbers of members and a budget that may bind
ruled_problem <- function(seed, n = 20, d = 9) {
  x <- from_seed(seed, matrix(rnorm(n * d), n) %*% chol(0.4 + 0.6 * diag(d)))
  x <- x %*% diag(exp(rnorm(d, sd = 0.4)))
  colnames(x) <- paste0("f", sample(d))
  k <- 2L + seed %% 4L
  count <- sample(0:4, 1)
  sets <- lapply(seq_len(count), function(i) sample(d, sample(2:6, 1)))
  names(sets) <- letters[seq_len(count)]
  least <- if (count > 0) sample(0:2, count, TRUE) else 0
  most <- if (count > 0) pmax(least, sample(c(1:3, Inf), count, TRUE)) else Inf
  cost <- sample(1:9, d, TRUE)
  budget <- if (runif(1) < 0.7) sum(sort(cost)[seq_len(k)]) + sample(0:12, 1) else Inf
  list(
    x = x, k = k, y = x %*% rnorm(d) + rnorm(n), m = 1L + seed %% 2L,
    rules = panel_rules(cost, budget, sets, least, most)
  )
}

obeys <- function(rules, set) {
  number <- vapply(rules$sets, function(own) sum(set %in% own), 0L)
  sum(rules$cost[set]) <= rules$budget + 1e-9 && all(number >= rules$at_least) &&
    all(number <= rules$at_most)
}

panels_within <- function(p) {
  Filter(function(set) obeys(p$rules, set), utils::combn(ncol(p$x), p$k, simplify = FALSE))
}

# what each method maximises, of a set of columns
ruled_values <- function(p) {
  z <- scale(p$x, scale = FALSE)
  unit <- scale(p$x)
  y <- p$y - mean(p$y)
  squares <- crossprod(unit)^2
  target <- drop(crossprod(unit, y))^2 / sum(y^2)
  ridge <- mean(colSums(unit^2))^2
  list(
    fspca = components_value(crossprod(z), p$m),
    css = function(set) sum(qr.fitted(qr(z[, set]), z)^2),
    cdlsr = function(set) sum(qr.fitted(qr(unit[, set]), y)^2),
    alignment = function(set) sum(target[set]) / sqrt(sum(squares[set, set]) + ridge)
  )
}

ruled_fit <- function(method, p, ...) {
  switch(method,
    fspca = fspca(p$x, p$k, p$m, rules = p$rules, ...),
    css = css(p$x, p$k, m = Inf, rules = p$rules, ...),
    cdlsr = cdlsr(p$x, p$y, p$k, rules = p$rules, ...),
    alignment = alignment(p$x, p$y, p$k, rules = p$rules, ...)
  )
}

# a row for each seed and method: is what is said of feasibility right, do the rules hold, is the
# value that of the best panel, and what does the fit say of the value?
ruled_claims <- function(seeds) {
  rows <- lapply(seeds, function(seed) {
    p <- ruled_problem(seed)
    panels <- panels_within(p)
    values <- ruled_values(p)
    lapply(names(values), function(method) {
      fit <- tryCatch(ruled_fit(method, p), rowsparse_error_rules = function(e) NULL)
      row <- data.frame(
        seed = seed, method = method, decided = is.null(fit) == (length(panels) == 0L),
        obeyed = NA, best = NA
      )
      if (!is.null(fit)) {
        set <- match(selected(fit), colnames(p$x))
        row$obeyed <- length(unique(set)) == p$k && obeys(p$rules, set)
        best <- max(vapply(panels, values[[method]], 0))
        row$best <- values[[method]](set) >= best * (1 - 1e-8)
      }
      row
    })
  })
  do.call(rbind, unlist(rows, recursive = FALSE))
}
