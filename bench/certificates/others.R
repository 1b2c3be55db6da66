# Residuals of stationarity, bounds along paths, and claims after what did not end.

# ---- kkt ----------------------------------------------------------------------------------

# what the helpers of the tests call S and its unit, from the oracle
operator_of <- function(v, normalize) {
  s <- quad_spectrum(v, 1)
  if (normalize) list(S = s$S * ncol(v$x), unit = 1) else list(S = s$S, unit = sqrt(s$trace))
}

wrong_residual <- function(fit, plain, p) {
  off <- 10 * data_error(p$form, p$x) * ncol(p$x)
  flag(
    kkt = abs(fit$kkt - plain) > 1e-9 + 1e-6 * plain + off,
    converged = fit$converged && plain > 1.1e-2 + off, scores = anyNA(fit$scores)
  )
}

trial_residual <- function(method) {
  function(family) {
    p <- component_problem(family)
    m <- p$m
    solver <- sample(c("mm", "mm", "rtr", "pencf"), 1)
    call <- switch(method,
      bsufs = function(...) {
        bsufs(p$data, m, ..., p = one_of(c(0, 0.5, 0.7, 1)), q = one_of(c(0, 0.5, 1)),
          solver = solver, scale = p$scale
        )
      },
      dscofs = function(...) {
        dscofs(p$data, p$k, m, one_of(c(0.5, 0.8, 1)), solver = solver, scale = p$scale)
      },
      spcafs = function(...) spcafs(p$data, m, p = one_of(c(0.3, 0.5, 1)), scale = p$scale)
    )
    fit <- call()
    operator <- operator_of(view(p$x, p$scale), fit$parameters$normalize)
    residual <- list(bsufs = bsufs_kkt, dscofs = dscofs_kkt, spcafs = spcafs_kkt)[[method]]
    verdict(wrong_residual(fit, residual(fit, p$x, operator), p), is.na(fit$kkt), p$form,
      p = p, fit = fit
    )
  }
}

# ---- paths --------------------------------------------------------------------------------

# judge(point) of the points of a path that have a bound, or of those in `at`
path_verdict <- function(path, form, judge, at = which(!is.na(path$bound) & path$bound > 0), ...) {
  wrong <- lapply(at, function(point) {
    c(judge(point), flag(
      side = isTRUE(path$bound[point] - path$objective[point] > 1e-9 * abs(path$objective[point])),
      gap = isTRUE(path$gap[point] < 0)
    ))
  })
  verdict(unique(unlist(wrong)), all(is.na(path$bound)), form, path = path, ...)
}

path_fspca <- function(family) {
  p <- component_problem(family)
  sizes <- seq(p$m, ncol(p$x))
  path <- rowsparse_path(p$data, method = "fspca", k = sizes, m = p$m, scale = p$scale,
    certify = one_of(list(FALSE, 0.01, 0.05))
  )
  path_verdict(path, p$form, at = seq_along(path$grid), problem = p, judge = function(at) {
    sets <- utils::combn(ncol(p$x), path$grid[at])
    claims <- -c(path$objective[at], or(path$bound[at], -Inf))
    q <- quad_components(view(p$x, p$scale), sets, p$m, claims)
    best <- max(q$values)
    own <- value_of(q$values, sets, path$selected[[at]])
    slack <- rounding_share * best + allowed(p)
    flag(
      objective = abs(q$claims[1] - own) > value_error(p) + 1e-11 * best,
      bound = !is.na(path$bound[at]) && q$claims[2] < best - slack,
      proof = identical(path$gap[at], 0) && own < best * (1 - certified_share) - slack
    )
  })
}

path_cdlsr <- function(family) {
  x <- design(family)
  y <- varied_response(x)
  s <- regression_settings(x, family)
  a <- arrive(x, y)
  path <- rowsparse_path(a$data, a$y, method = "cdlsr", k = seq_len(s$k), solver = "exact",
    ridge = s$ridge, scale = s$scale
  )
  v <- view(x, s$scale)
  Y <- response_columns(y)
  slack <- if (is_moments(a$form)) moment_tolerance else tolerance
  path_verdict(path, a$form, at = seq_along(path$grid), x = x, y = y, settings = s,
    judge = function(at) {
      sets <- utils::combn(ncol(x), path$grid[at])
      q <- quad_regression(v, Y, sets, s$ridge, c(path$objective[at], or(path$bound[at], -1)))
      least <- min(q$values) + slack
      flag(
        bound = !is.na(path$bound[at]) && q$claims[2] > least,
        proof = identical(path$gap[at], 0) && q$claims[1] > least
      )
    }
  )
}

path_spca <- function(family) {
  loss <- one_of(c("frobenius", "l21"))
  p <- spca_problem(family, loss)
  grid <- p$lambda * 10^c(1, 0, -1.5)
  path <- rowsparse_path(p$a$data, method = "spca_psd", lambda = grid, eta = p$eta, loss = loss,
    solver = one_of(c("exact", "paper")), scale = p$scale
  )
  path_verdict(path, p$a$form, problem = p, loss = loss, judge = function(at) {
    p$lambda <- path$grid[at]
    found <- spca_best(p, matrix(0, ncol(p$z), 1), loss == "l21", path$bound[at])
    off <- if (is_moments(p$a$form)) {
      ncol(p$x) * data_error(p$a$form, p$x) * sum(p$z^2) / found$best$value
    } else {
      0
    }
    flag(bound = found$best$above[1] > off)
  })
}

path_rfs <- function(family) {
  x <- design(family)
  y <- varied_response(x)
  a <- arrive(x, y, names(sample_forms))
  path <- rowsparse_path(a$data, y, method = "rfs", nlambda = 4, lambda_ratio = 1e-3)
  v <- view(x, TRUE)
  W <- matrix(0, ncol(x), ncol(response_columns(y)))
  path_verdict(path, a$form, x = x, y = y, judge = function(at) {
    flag(bound = rows_best(v, y, W, path$grid[at], path$bound[at])$best$above[1] > 0)
  })
}

# ---- groups and rules ---------------------------------------------------------------------

grouped_fit <- function(method, p, group, y, ridge, limit) {
  call <- function(fun, ...) {
    fun(p$data, ..., scale = p$scale, groups = group, solver = "exact", time_limit = limit)
  }
  switch(method,
    cdlsr = call(cdlsr, p$y, p$k, ridge = ridge), css = call(css, p$k, m = Inf),
    fspca = call(fspca, p$k, m = p$m)
  )
}

trial_groups <- function(family) {
  method <- one_of(c("cdlsr", "cdlsr", "css", "fspca"))
  x <- design(family, d = between(5, 10))
  group <- sample(rep_len(seq_len(between(3, max(3, ncol(x) %/% 2))), ncol(x)))
  y <- if (method == "cdlsr") varied_response(x)
  p <- list(x = x, k = between(1, max(group) - 1L))
  p <- c(p, regression_settings(x, family)[1:2], arrive(x, y))
  p$m <- components_of(x, p$scale)
  if (method == "fspca") p$k <- max(p$k, ceiling(p$m / min(table(group))))
  sets <- utils::combn(max(group), p$k, function(some) which(group %in% some), simplify = FALSE)
  fit <- grouped_fit(method, p, group, y, p$ridge, one_of(c(60, 60, 60, 0, 1e-3)))
  v <- view(x, p$scale)
  square <- mean(colSums(quad_table(v)^2))
  shrink <- if (method == "cdlsr") square / (square + p$ridge) else 1
  # samples that are left beside the columns; sets that leave less than one do not compare
  left <- function(sets) nrow(x) - 1 - shrink * lengths(sets)
  own <- left(list(fit$selected))
  alike <- all(table(group) == sum(group == 1))
  price <- if (alike) 1 else ifelse(pmin(left(sets), own) >= 1, abs(own / left(sets))^1.5, Inf)
  wrong <- switch(method,
    cdlsr = wrong_proofs(fit, v, response_columns(y), p$k, p$ridge, p$form, sets, price),
    css = wrong_css_proofs(fit, v, p$k, p$form, sets, price),
    fspca = wrong_components(fit, p, sets)
  )
  wrong <- c(wrong, flag(whole = !list(sort(fit$selected)) %in% sets))
  verdict(wrong, !identical(fit$gap, 0), p$form,
    p = p, group = group, y = y, fit = fit
  )
}

trial_rules <- function(family) {
  x <- design(family)
  y <- varied_response(x)
  p <- c(list(x = x, k = between(2, max(2, min(4, ncol(x) - 1, nrow(x) - 2)))), arrive(x, y))
  p$scale <- stats::runif(1) < 0.5
  p$m <- min(p$k, components_of(x, p$scale))
  own <- sample.int(ncol(x), between(2, ncol(x) - 1))
  near <- sample.int(ncol(x), p$k)
  least <- between(0, 2)
  most <- least + between(0, 2)
  kept <- p$k - between(1, p$k)
  rules <- panel_rules(
    sets = list(own), at_least = least, at_most = most, near = near, swaps = p$k - kept
  )
  obeys <- function(set) sum(set %in% own) %in% least:most && sum(set %in% near) >= kept
  sets <- Filter(obeys, asplit_columns(utils::combn(ncol(x), p$k)))
  fit <- tryCatch(
    if (stats::runif(1) < 0.5) {
      cdlsr(p$data, p$y, p$k, scale = p$scale, rules = rules)
    } else {
      fspca(p$data, p$k, p$m, scale = p$scale, rules = rules, certify = 5)
    },
    rowsparse_error_rules = function(e) NULL
  )
  wrong <- if (length(sets) == 0 || is.null(fit)) {
    flag(refused = length(sets) > 0 || !is.null(fit))
  } else if (inherits(fit, "cdlsr")) {
    wrong_exchanges(fit, view(x, p$scale), response_columns(y), ncol(x), 0, p$form)
  } else {
    wrong_components(fit, p, sets)
  }
  verdict(c(wrong, flag(obeyed = !is.null(fit) && !obeys(fit$selected))), is.null(fit), p$form,
    p = p, rules = rules, y = y, fit = fit
  )
}

# ---- what did not end -----------------------------------------------------------------------

# A trial that setTimeLimit() ends somewhere, and the same once more in the same session
interrupted <- function(trials) {
  function(family) {
    trial <- one_of(trials)
    own <- sample.int(1e9, 1)
    limit <- 10^stats::runif(1, -3.5, -1.3)
    first <- tryCatch(
      {
        set.seed(own)
        setTimeLimit(elapsed = limit)
        # a limit that is reached in a handler of a warning goes to those outside of it
        quiet(trial(family))
      },
      error = function(e) if (!grepl("time limit", conditionMessage(e))) stop(e),
      finally = setTimeLimit()
    )
    set.seed(own)
    again <- trial(family)
    again$wrong <- unique(c(first$wrong, again$wrong))
    again$form <- if (is.null(first)) "interrupted" else "ended in time"
    again
  }
}

# Row blocks whose source fails at some read, and the same object once more
trial_failed_read <- function(family) {
  x <- design(family)
  y <- varied_response(x)
  s <- regression_settings(x, family)
  sizes <- uneven(nrow(x))
  ends <- cumsum(sizes)
  state <- new.env()
  state$reads <- 0
  fails <- between(1, 6 * length(sizes))
  data <- row_blocks(function(i) {
    state$reads <- state$reads + 1
    if (state$reads == fails) stop("the source failed")
    x[seq(ends[i] - sizes[i] + 1L, ends[i]), , drop = FALSE]
  }, rows = sizes)
  p <- list(x = x, scale = s$scale, m = components_of(x, s$scale), form = "uneven blocks")
  p$k <- between(p$m, ncol(x))
  cdlsr_wrong <- function() {
    fit <- cdlsr(data, y, s$k, solver = "exact", ridge = s$ridge, scale = s$scale)
    wrong_proofs(fit, view(x, s$scale), response_columns(y), s$k, s$ridge, p$form)
  }
  fspca_wrong <- function() {
    wrong_components(fspca(data, p$k, p$m, solver = "exact", scale = s$scale), p)
  }
  check <- one_of(list(cdlsr_wrong, fspca_wrong))
  form <- "read to the end"
  wrong <- tryCatch(check(), error = function(e) {
    if (!grepl("source failed", conditionMessage(e))) stop(e)
    form <<- "failed in between"
    check()
  })
  verdict(wrong, FALSE, form, x = x, y = y, settings = s, p = p, sizes = sizes, fails = fails)
}

other_claims <- list(
  groups = claim(
    paste("Sets of groups by `cdlsr()`, `css()` and `fspca()`: no set is better than one called",
      "proved, no bound is on the wrong side"
    ),
    1, trial_groups
  ),
  rules = claim("The same with rules of a panel: these hold, too", 0.5, trial_rules),
  bsufs = claim("`bsufs()`: kkt is the residual defined", 0.5, trial_residual("bsufs")),
  dscofs = claim("`dscofs()`: kkt is the residual defined", 0.5, trial_residual("dscofs")),
  spcafs = claim("`spcafs()`: kkt is the residual defined", 0.5, trial_residual("spcafs")),
  path_fspca = claim(
    "`rowsparse_path(method = \"fspca\")`: no bound of any size is below the best set",
    0.4, path_fspca
  ),
  path_cdlsr = claim(
    "`rowsparse_path(method = \"cdlsr\")`: no bound is above the optimum of its size",
    0.4, path_cdlsr
  ),
  path_spca = claim(
    "`rowsparse_path(method = \"spca_psd\")`: no bound is above an objective reached",
    0.4, path_spca
  ),
  path_rfs = claim("`rowsparse_path(method = \"rfs\")`: no bound is above an objective reached",
    0.4, path_rfs
  ),
  interrupted = claim(
    paste("Proofs and bounds of calls under `setTimeLimit()` that end in time, and of the",
      "same calls after it"
    ),
    0.6, interrupted(list(
      trial_cdlsr(), trial_fspca, trial_bound(function() 5), trial_kmeans,
      trial_spca, trial_rfs
    ))
  ),
  failed_read = claim("Proofs from row blocks whose source failed in the call before",
    0.4, trial_failed_read
  )
)
