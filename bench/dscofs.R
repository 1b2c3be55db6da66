# DSCOFS: seconds, objective, memory, growth with d, quality of the selection.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/dscofs.R [parts ...]
# Parts: real_data starts ablation solvers against_reference quality growth large (all by default).
source(file.path("bench", "common.R"))
machine_line()

classes <- c(lung_discrete = 7, GLIOMA = 4, UMIST = 20, warpPIE10P = 10, Isolet = 26, COIL20 = 20)

report <- function(label, out, base) {
  peak <- peak_memory()
  fit <- out$value
  cat(sprintf(
    paste0(
      "%-32s %6.2f s (CPU %.2f)  %4d iterations  %-9s objective",
      " %-11.6g kkt %.0e  peak %.0f MB, +%.0f in the fit\n"
    ),
    label, out$seconds, out$cpu, fit$iterations, if (fit$converged) "converged" else "stopped",
    utils::tail(fit$objective, 1), fit$kkt, peak, peak - base
  ))
}

run <- function(label, ..., repeats = 5) {
  base <- reset_peak_memory()
  out <- timed(suppressWarnings(dscofs(...)), repeats)
  report(label, out, base)
  invisible(out)
}

real_data <- function() {
  cat("\n## Real data, k = 100, defaults otherwise (the whole call from the matrix)\n")
  for (name in names(classes)) {
    x <- bench_data(name)$x
    for (alpha in c(0.1, 0.5, 1)) {
      run(sprintf("%s %d x %d, alpha %.1f", name, nrow(x), ncol(x), alpha), x, 100, classes[[name]],
        alpha
      )
    }
  }
}

# how many features the entry constraint of a fit has changed, from the same start
changed_by_alpha <- function(fit, x, ...) {
  p <- fit$parameters
  start <- sub(" .*", "", p$start)
  rows <- suppressWarnings(dscofs(x, p$k, p$m, alpha = 1, start = start, ...))
  sum(!fit$selected %in% rows$selected)
}

starts <- function() {
  cat("\n## The starts: f at the end, what is chosen, what the set carries and what changes it\n")
  for (name in names(classes)) {
    x <- unname(bench_data(name)$x)
    for (m in c(3, classes[[name]])) {
      for (k in c(50, 100)) {
        out <- timed(suppressWarnings(dscofs(x, k, m)), 1)
        fit <- out$value
        base <- suppressWarnings(dscofs(x, k, m, start = "fspca"))
        tight <- suppressWarnings(dscofs(x, k, m, alpha = 0.1))
        cat(sprintf("| %s | %d | %d | %s | %s | %.2f / %.2f | %d, %d | %.2f |\n", name, m, k,
          paste(format(fit$ends, digits = 5, trim = TRUE), collapse = " / "), fit$parameters$start,
          100 * fit$polished$captured, 100 * base$polished$captured, changed_by_alpha(fit, x),
          changed_by_alpha(tight, x), out$cpu
        ))
      }
    }
  }
}

# the paper's ablation: of 100 features those that alpha = 0.1 changes, over the coupling in
# units of its default
ablation <- function() {
  cat("\n## Of 100 features, those that alpha = 0.1 changes, by the coupling\n")
  for (name in names(classes)) {
    x <- unname(bench_data(name)$x)
    m <- classes[[name]]
    level <- dscofs(x, 100, m, starts = 0, control = list(maxit = 1, tol = 1e6))$parameters$mu1
    for (start in c("fspca", "leading", "random")) {
      changed <- vapply(c(0.001, 0.01, 0.1, 1, 10), function(share) {
        mu <- share * level
        fit <- suppressWarnings(dscofs(x, 100, m, 0.1, mu, mu, start = start))
        changed_by_alpha(fit, x, mu1 = mu, mu2 = mu)
      }, 0L)
      cat(sprintf("| %s | %s | %s |\n", name, start, paste(changed, collapse = " | ")))
    }
  }
}

solvers <- function() {
  cat("\n## Solvers of the W step, k = 100, alpha = 0.1, ratio of CPU seconds to mm\n")
  for (name in c("lung_discrete", "Isolet")) {
    x <- bench_data(name)$x
    for (share in c(0.1, 1, 10)) {
      level <- dscofs(x, 100, classes[[name]], control = list(maxit = 1, tol = 1e6))$parameters$mu1
      base <- NULL
      for (solver in c("mm", "rtr", "pencf")) {
        out <- timed(suppressWarnings(dscofs(x, 100, classes[[name]], 0.1, share * level,
          share * level, solver = solver
        )), 1)
        fit <- out$value
        base <- c(base, out$cpu)
        cat(sprintf(
          paste0(
            "%-14s mu %4.1f levels  %-6s CPU %6.2f s (%5.1f)",
            "  objective %-10.6g %4d outer %6d inner  %d replaced\n"
          ),
          name, share, solver, out$cpu, out$cpu / base[1], utils::tail(fit$objective, 1),
          fit$iterations, fit$inner_iterations, fit$rejected_steps
        ))
      }
    }
  }
}

against_reference <- function() {
  cat("\n## Against the published runs (objective difference in units of tr(S))\n")
  for (case in bench_reference("dscofs")) {
    x <- bench_data(case$data)$x / case$divided_by
    trace <- sum(sweep(x, 2, colMeans(x))^2)
    for (start in list(NULL, case$W0)) {
      fit <- suppressWarnings(dscofs(x, case$k, case$m, case$alpha, case$mu_elements, case$mu_rows,
        normalize = FALSE, start = start
      ))
      cat(sprintf("%-26s %-8s %+.2e  %d iterations, %.2f s, rises: %d (published: %d)\n", case$case,
        if (is.null(start)) "default" else "W0",
        (utils::tail(fit$objective, 1) - case$objective) / trace, fit$iterations, fit$elapsed,
        sum(diff(fit$objective) > 1e-10 * abs(fit$objective[1])), case$objective_increases
      ))
    }
  }
}

quality <- function() {
  cat("\n## Share of tr(S) explained by the best basis on the 100 selected features\n")
  cat(sprintf("%-14s %-8s %s\n", "", "start", paste(sprintf("mu = %-5s", c(0.01, 0.1, 0.3, 1, 10)),
    collapse = " "
  )))
  for (name in names(classes)) {
    x <- bench_data(name)$x
    m <- classes[[name]]
    ipu <- fspca(x, 100, m, "ipu")
    set.seed(1)
    chance <- mean(replicate(5, explained_by(x, sample(ncol(x), 100), m)))
    cat(sprintf("%-14s IPU of FSPCA %.4f, Go %.4f, random sets %.4f\n", name, ipu$captured,
      fspca(x, 100, m, "go")$captured, chance
    ))
    level <- dscofs(x, 100, m, control = list(maxit = 1, tol = 1e6))$parameters$mu1
    for (kind in c("leading", "random", "ipu")) {
      start <- switch(kind, leading = "leading", random = "random", ipu = ipu)
      shares <- vapply(c(0.01, 0.1, 0.3, 1, 10), function(share) {
        suppressWarnings(dscofs(x, 100, m, 0.5, share * level, share * level,
          start = start
        ))$polished$captured
      }, 0)
      cat(sprintf("%-14s %-8s %s\n", "", kind, paste(sprintf("%.4f    ", shares), collapse = " ")))
    }
  }
}

explained_by <- function(x, columns, m) {
  centred <- sweep(x, 2, colMeans(x))
  sum(svd(centred[, columns], 0, 0)$d[seq_len(m)]^2) / sum(centred^2)
}

growth <- function() {
  cat("\n## Growth with d: n = 200, m = 10, k = 100, 50 iterations, dense Gaussian data\n")
  set.seed(1)
  d <- c(1000, 3000, 10000, 30000, 100000)
  cpu <- vapply(d, function(size) {
    x <- matrix(rnorm(200 * size), 200)
    base <- reset_peak_memory()
    out <- timed(suppressWarnings(dscofs(x, 100, 10, 0.1, start = "leading",
      control = list(tol = 0, maxit = 50)
    )), 3)
    cat(sprintf("d = %6d  %6.2f s (CPU %.2f)  +%.0f MB in the fit (data %.0f MB)\n", size,
      out$seconds, out$cpu, peak_memory() - base, 8 * 200 * size / 2^20
    ))
    out$cpu
  }, 0)
  slope <- stats::coef(stats::lm(log(cpu) ~ log(d)))[2]
  cat(sprintf("exponent of d: %.2f\n", slope))
}

large <- function() {
  cat("\n## 1 000 x 50 000 (a d x d matrix would take 18.6 GB)\n")
  set.seed(1)
  x <- matrix(rnorm(1000 * 50000), 1000)
  x[, 1:200] <- x[, 1:200] + outer(rnorm(1000), rnorm(200))
  run("1 000 x 50 000 dense, m = 10", x, 100, 10, 0.1, repeats = 1)
}

arguments <- commandArgs(TRUE)
parts <- if (length(arguments)) {
  arguments
} else {
  c("real_data", "starts", "ablation", "solvers", "against_reference", "quality",
    "growth", "large"
  )
}
for (part in parts) get(part)()
