# Moments of rank r in place of the d x d matrix: the error, its bound, and how many of the
# 50 features selected from all of the data are selected from the sketch.
#
#   Rscript bench/scale_sketch.R > bench/results/scale_sketch.md
source(file.path("bench", "common.R"))
machine_line()

most <- 50
ranks <- c(10, 20, 30, 40, 50, 60, 80, 100)
methods <- list(
  variance = function(x, k) variance(x)$ranking[seq_len(k)],
  fspca = function(x, k) fspca(x, k, m = 5)$selected,
  bsufs = function(x, k) bsufs(x, k, m = 5)$ranking[seq_len(k)],
  css = function(x, k) css(x, k, m = 5)$selected
)

# ||Xc'Xc - F'F|| of the rows Xc and F, in an orthonormal basis of all of them
left_out <- function(xc, sketch) {
  basis <- qr.Q(qr(t(rbind(xc, sketch$factor)), LAPACK = TRUE))
  inside <- crossprod(xc %*% basis) - crossprod(sketch$factor %*% basis)
  max(abs(eigen(inside, symmetric = TRUE, only.values = TRUE)$values))
}

in_blocks <- function(x, rows = 10) {
  last <- pmin(seq.int(rows, nrow(x) + rows - 1, by = rows), nrow(x))
  row_blocks(function(i) x[seq.int(rows * (i - 1) + 1, last[i]), , drop = FALSE],
    diff(c(0L, as.integer(last)))
  )
}

for (name in c("orlraws10P", "GLIOMA")) {
  x <- bench_data(name)$x
  xc <- scale(x, scale = FALSE)
  values <- eigen(tcrossprod(xc), symmetric = TRUE, only.values = TRUE)$values
  k <- min(most, nrow(x) - 1)
  run <- function(method, x) suppressWarnings(methods[[method]](x, k))
  explained <- function(set) compare_panels(set, x, random = 1)$explained[1]
  chosen <- sapply(names(methods), run, x = x, simplify = FALSE)
  blocks <- in_blocks(x)
  cat(sprintf("\n%s: %d x %d in blocks of 10 rows; %s %.3f of the trace\n\n", name, nrow(x),
    ncol(x), "gap between eigenvalues 5 and 6:", (values[5] - values[6]) / sum(values)
  ))
  cat("| r | norm of S - F'F, of the trace | bound | next eigenvalue | seconds |",
    paste0("`", names(methods), "`", collapse = " | "), "| explained by `css` |\n"
  )
  cat("|---:|---:|---:|---:|---:|", strrep("---:|", length(methods) + 1), "\n", sep = "")
  for (r in ranks[ranks < nrow(x) + 20]) {
    seconds <- system.time(sketch <- moments(blocks, rank = r))[["elapsed"]]
    sets <- sapply(names(methods), run, x = sketch, simplify = FALSE)
    kept <- mapply(function(a, b) length(intersect(a, b)), sets, chosen)
    trace <- sum(sketch$square)
    following <- if (r < length(values)) max(0, values[r + 1]) / trace else 0
    cat(sprintf("| %d | %.2g | %.2g | %.2g | %.2f | %s | %.4f |\n", r,
      left_out(xc, sketch) / trace, sketch$error / trace, following, seconds,
      paste(kept, collapse = " | "), explained(sets$css)
    ))
  }
  cat(sprintf("| all |  |  |  |  | %s | %.4f |\n", paste(lengths(chosen), collapse = " | "),
    explained(chosen$css)
  ))
}
