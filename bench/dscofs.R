# DSCOFS: its starts, what alpha changes, solvers of the step in W, quality of the selection.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/dscofs.R [parts ...]
# Parts: starts ablation solvers quality (all by default).
source(file.path("bench", "common.R"))
machine_line()

classes <- c(lung_discrete = 7, GLIOMA = 4, UMIST = 20, warpPIE10P = 10, Isolet = 26, COIL20 = 20)

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
        cat(sprintf("%-14s mu %4.1f levels  %-6s CPU %6.2f s (%5.1f)", name, share, solver, out$cpu,
          out$cpu / base[1]
        ), sprintf("  objective %-10.6g %4d outer %6d inner  %d replaced\n",
          utils::tail(fit$objective, 1), fit$iterations, fit$inner_iterations, fit$rejected_steps
        ))
      }
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
      start <- if (kind == "ipu") ipu else kind
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

parts <- commandArgs(TRUE)
if (length(parts) == 0) parts <- c("starts", "ablation", "solvers", "quality")
for (part in parts) get(part)()
