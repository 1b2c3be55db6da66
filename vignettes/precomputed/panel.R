# Figures of the vignette "A panel that proves itself"; needs the package sda. From the package's
# root:
#   OPENBLAS_NUM_THREADS=1 Rscript vignettes/precomputed/panel.R
# writes vignettes/precomputed/panel.rds, in some ten minutes. SECONDS=60 gives every certificate
# more time.

library(rowsparse)
folder <- file.path("vignettes", "precomputed")
source(file.path(folder, "khan-methods.R"))

seconds <- as.numeric(Sys.getenv("SECONDS", "30"))
khan <- read_khan()
x <- khan$x
m <- 3
sizes <- c(5, 10, 20, 30, 50, 75, 100)

path <- rowsparse_path(x, method = "fspca", m = m, k = sizes, certify = seconds)
variances <- sort(apply(x, 2, var), decreasing = TRUE) * (nrow(x) - 1)
total <- sum(variances)
components <- svd(scale(x, scale = FALSE), 0, 0)$d^2
along <- data.frame(
  k = sizes, best = -path$objective / total, bound = -path$bound / total,
  eigenvalues = sum(components[seq_len(m)]) / total, variances = cumsum(variances)[sizes] / total
)
print(along)

# ten genes, proved as far as the time goes
small <- lapply(c(1, 3), function(m) {
  fit <- fspca(x, k = 10, m = m, certify = 2 * seconds)
  data.frame(m = m, status = fit$certificate$status, nodes = fit$certificate$nodes,
    essential = length(fit$certificate$essential),
    excluded = length(fit$certificate$excluded),
    left = ncol(x) - length(fit$certificate$essential) - length(fit$certificate$excluded),
    seconds = fit$certificate$seconds
  )
})
small <- do.call(rbind, small)
print(small)

# a panel that another method chose, and all of them beside the bound
k <- 50
certified <- fspca_bound(x, k = k, m = m, selected = variance(x), seconds = seconds)
print(certified)
carried <- function(set) {
  sum(svd(scale(x[, set], scale = FALSE), 0, 0)$d[seq_len(m)]^2)
}
quietly <- function(expression) suppressWarnings(suppressMessages(expression))
sets <- quietly(list(
  "fspca()" = path$selected[[match(k, sizes)]],
  'fspca(solver = "ipu")' = fspca(x, k, m, "ipu")$selected,
  'fspca(solver = "go")' = fspca(x, k, m, "go")$selected,
  "variance()" = variance(x)$ranking[1:k], 'dscofs(start = "leading")' =
    dscofs(x, k, m, start = "leading")$selected,
  "bsufs()" = bsufs(x, m)$ranking[1:k], "spcafs()" = spcafs(x, m)$ranking[1:k],
  "css(m = 3)" = css(x, k = k, m = m)$selected, "css()" = css(x, k = k)$selected,
  "alignment()" = alignment(x, k = k)$selected,
  "lapscore()" = lapscore(x)$ranking[1:k]
))
set.seed(1)
random <- mean(replicate(20, carried(sample(ncol(x), k))))
least <- min(-path$bound[match(k, sizes)], certified$bound)
others <- data.frame(
  set = c(names(sets), "20 random sets, mean"),
  share = c(vapply(sets, carried, 0), random) / least, row.names = NULL
)
others <- others[order(-others$share), ]
print(others)

saveRDS(
  list(
    n = nrow(x), d = ncol(x), m = m, seconds = seconds, along = along, small = small, k = k,
    certified = utils::capture.output(print(certified)), others = others,
    panel = colnames(x)[path$selected[[match(10, sizes)]]], elapsed = path$elapsed
  ),
  file.path(folder, "panel.rds"), version = 2
)
