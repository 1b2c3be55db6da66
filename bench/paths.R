# What a path of 50 points costs beside one fit from a cold start: processor seconds, medians.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/paths.R [part ...]
# with the parts bsufs, spcafs, rfs, kmeans_ufs, dscofs, fspca, all by default.
# Prints the table of bench/results/paths.md.
source(file.path("bench", "common.R"))

path_row <- function(label, fit, path, repeats = 3) {
  cold <- timed(suppressWarnings(fit()), repeats)
  whole <- timed(suppressWarnings(path()), repeats)
  points <- length(whole$value$grid)
  data.frame(
    path = label, `cold fit` = decimals(cold$cpu, 3), path_s = decimals(whole$cpu, 2),
    ratio = decimals(whole$cpu / cold$cpu, 1), points = points,
    `ms per point` = decimals(1e3 * whole$cpu / points, 1),
    iterations = sprintf("%.0f", sum(whole$value$iterations, na.rm = TRUE)),
    `iterations, cold` = as.character(cold$value$iterations), check.names = FALSE
  )
}

# objective of the path above that of cold fits at the same grid points, at every fourth of them
gap_to_cold <- function(path, cold) {
  at <- seq(1, length(path$grid), by = 4)
  objective <- vapply(path$grid[at], function(value) {
    utils::tail(suppressWarnings(cold(value))$objective, 1)
  }, 0)
  gap <- 100 * (path$objective[at] - objective) / abs(objective)
  sprintf("%+.2f%% on average, %+.2f%% in the median, from %+.1f%% to %+.1f%%", mean(gap),
    stats::median(gap), min(gap), max(gap)
  )
}

bsufs_cases <- list(c("COIL20", 5), c("COIL20", 20), c("Isolet", 26), c("UMIST", 20),
  c("GLIOMA", 4), c("lung_discrete", 7), c("orlraws10P", 10)
)

bsufs_rows <- function() {
  rows <- lapply(bsufs_cases, function(case) {
    x <- bench_data(case[1])$x
    m <- as.integer(case[2])
    path <- function() rowsparse_path(x, method = "bsufs", m = m)
    row <- path_row(sprintf("bsufs, %s, m = %d", case[1], m), function() bsufs(x, m), path)
    cold <- function(lambda) bsufs(x, m, lambda1 = lambda)
    cat(row$path, ": objective above that of cold fits", gap_to_cold(path(), cold), "\n")
    row
  })
  do.call(rbind, rows)
}

spcafs_rows <- function() {
  x <- bench_data("Isolet")$x
  path_row("spcafs, Isolet, m = 10", function() spcafs(x, 10),
    function() rowsparse_path(x, method = "spcafs", m = 10), 1
  )
}

rfs_rows <- function() {
  rows <- lapply(c("COIL20", "Isolet", "lung_discrete", "SRBCT"), function(name) {
    data <- bench_data(name)
    y <- factor(data$y)
    path <- function() rowsparse_path(data$x, y, method = "rfs")
    row <- path_row(paste("rfs,", name), function() rfs(data$x, y), path, 1)
    cold <- function(lambda) rfs(data$x, y, lambda)
    cat(row$path, ": objective above that of cold fits", gap_to_cold(path(), cold), "\n")
    row
  })
  do.call(rbind, rows)
}

fspca_rows <- function() {
  rows <- lapply(list(c("USPS_1000", 5), c("lung_discrete", 5), c("GLIOMA", 4)), function(case) {
    x <- bench_data(case[1])$x
    m <- as.integer(case[2])
    path <- function() rowsparse_path(x, method = "fspca", m = m, k = m - 1 + 1:50)
    row <- path_row(sprintf("fspca, %s, m = %d, k = %d, ..., %d", case[1], m, m, m + 49),
      function() fspca(x, 50, m), path, 1
    )
    cold <- function(k) fspca(x, k, m)
    cat(row$path, ": objective above that of cold fits", gap_to_cold(path(), cold), "\n")
    row
  })
  do.call(rbind, rows)
}

kmeans_ufs_rows <- function() {
  x <- bench_data("COIL20")$x
  path_row("kmeans_ufs, COIL20, k = 1, ..., 50",
    function() rowsparse(x, k = 50, method = "kmeans_ufs"),
    function() rowsparse_path(x, method = "kmeans_ufs", k = 1:50)
  )
}

dscofs_rows <- function() {
  rows <- lapply(list(c("USPS_1000", 5), c("lung_discrete", 5), c("GLIOMA", 4)), function(case) {
    x <- bench_data(case[1])$x
    m <- as.integer(case[2])
    sizes <- m - 1 + 1:50
    path <- function() rowsparse_path(x, method = "dscofs", m = m, k = sizes)
    row <- path_row(sprintf("dscofs, %s, m = %d, k = %d, ..., %d", case[1], m, m, m + 49),
      function() dscofs(x, 50, m = m), path, 1
    )
    cold <- function(k) dscofs(x, k, m = m)
    cat(row$path, ": objective above that of cold fits", gap_to_cold(path(), cold), "\n")
    row
  })
  do.call(rbind, rows)
}

given <- commandArgs(TRUE)
parts <- c("bsufs", "spcafs", "rfs", "kmeans_ufs", "dscofs", "fspca")
machine_line()
if (length(given)) parts <- given
markdown(do.call(rbind, lapply(parts, function(part) get(paste0(part, "_rows"))())))
