# The experiments of the CD-LSR paper (Xu, Wang, Nie and Li, 2023): writes cdlsr.rds, for the page
#   OPENBLAS_NUM_THREADS=1 Rscript bench/papers/cdlsr.R     (cells are kept in build/papers/cdlsr)
source(file.path("bench", "papers", "common.R"))

# by method: for each size a matrix of feature sets, one per row; `...` is a value of the grid
ranked <- function(name, labels = TRUE, control = list()) {
  function(x, y, sizes, ...) {
    fit <- rowsparse(x, if (labels) y, max(sizes), method = name, control = control, ...)
    lapply(sizes, function(k) t(fit$ranking[seq_len(k)]))
  }
}
sets_by <- list(
  all = function(x, y, sizes) list(t(seq_len(ncol(x)))), ftest = ranked("ftest"),
  ilfs = ranked("ilfs"), covth = ranked("covth", FALSE), fspca = ranked("fspca", FALSE),
  rfs = ranked("rfs"), crfs = ranked("crfs", control = list(maxit = 50)),
  slap = ranked("slap", control = list(maxit = 5, inner_maxit = 20)),
  s2dfs = function(x, y, sizes) lapply(sizes, function(k) ranked("s2dfs")(x, y, k, m = k)[[1]]),
  cd = function(x, y, sizes) {
    n <- if (nrow(x) > 100) 10 else 40
    lapply(sizes, function(k) cdlsr(x, y, k, "cd", "random", n, seed = k, path = FALSE)$runs$sets)
  },
  cdlsr = function(x, y, sizes) lapply(cdlsr(x, y, max(sizes))$path$features[sizes], t)
)
values <- list(slap = list(gamma = 10^c(0, 1, -1, 2, -2, 3, -3)))
values[c("crfs", "rfs")] <- list(list(lambda = 100^c(0, 1, -1, 2, -2, 3, -3)))

# five folds: mean accuracy over the runs, and of the best run; settings in turn for 30 seconds
accuracy <- function(x, y, name, method, end = seconds_now() + 30) {
  set.seed(1)
  folds <- stratified_folds(y)
  sizes <- c(1, 2, 3, 5, 8, 10, 15, 20, 30, 40, 50, 60, 70, 80)
  sizes <- if (method == "all") ncol(x) else sizes[sizes < 0.75 * length(y)]
  grid <- values[[method]]
  rows_of(seq_len(max(1, lengths(grid))), function(at) {
    one_fold <- function(fold, rows = folds != fold) {
      if (method == "all") x <- x %*% svd(x[rows, ])$v
      train <- list(x = x[rows, ], y = y[rows])
      sets <- do.call(sets_by[[method]], c(unname(train), list(sizes), lapply(grid, `[`, at)))
      test <- list(x = x[!rows, ], y = y[!rows])
      judge <- function(set) nested_accuracy(train, test, set, length(set))
      vapply(sets, apply, numeric(nrow(sets[[1]])), 1, judge)
    }
    parts <- try(within_seconds(lapply(1:5, one_fold), max(end - seconds_now(), 1)), silent = TRUE)
    if (inherits(parts, "try-error")) return(message(name, " ", method, " ", at, ": ", parts))
    runs <- matrix(Reduce(`+`, parts) / 5, ncol = length(sizes))
    data.frame(value = c(grid[[1]][at], NA)[1], k = sizes, mean = colMeans(runs),
      most = apply(runs, 2, max), runs = nrow(runs))
  })
}

# the regressions on k features by rowsparse(), how often on SRBCT, USPS and the others
fixed <- list(
  cd = list(method = "cdlsr", solver = "cd", start = "random", ridge = 0, path = FALSE),
  pgd = list(method = "pgd", start = "random"), rpfs = list(method = "rpfs"),
  ipfs = list(method = "ipfs"), cdlsr = list(method = "cdlsr", ridge = 0)
)
fit_of <- function(x, y, k, method, seed, own = list()) {
  if (method != "ipfs") own$seed <- seed
  quiet(do.call(rowsparse, c(list(x, y, k), fixed[[method]], own)))
}
counts <- cbind(cd = c(40, 10, 10), pgd = c(40, 10, 2), rpfs = c(40, 2, 1), ipfs = 1, cdlsr = 1)
grids <- list(pgd = data.frame(step = 10^(-8:2)),
  rpfs = expand.grid(mu = 10^seq(-6, 0, 2), rho = c(1.05, 1.1)))
# the setting of least loss at k = 5 after 200 iterations from one start
chosen_setting <- function(x, y, method, few = list(control = list(maxit = 200))) {
  tried <- apply(grids[[method]], 1, as.list)
  loss <- vapply(tried, function(own) {
    fit <- try(fit_of(x, y, 5, method, 41, c(own, few)), silent = TRUE)
    if (inherits(fit, "try-error")) return(Inf)
    utils::tail((if (method == "pgd") fit else fit$path)$objective, 1)
  }, 0)
  c(tried[[which.min(loss)]], list(control = list(maxit = 1000)))
}

# by size: final objectives of the refitted sets and seconds (`runs`), losses by iteration
objective <- function(x, y, name, method) {
  own <- if (method %in% names(grids)) chosen_setting(x, y, method)
  count <- counts[match(name, c("SRBCT", "USPS"), 3), method]
  rows_of(if (method %in% c("cd", "cdlsr")) 1:10 else c(1, 5, 10), function(k) {
    runs <- lapply(seq_len(count), function(seed) {
      time <- system.time(fit <- fit_of(x, y, k, method, seed, own))
      list(c(utils::tail(fit$path$objective, 1), sum(time[1:2])), fit$objective)
    })
    at <- unique(round(10^seq(0, 3, 0.1)))
    losses <- vapply(runs, function(run) run[[2]][pmin(at, length(run[[2]]))], at + 0)
    row <- data.frame(k = k, setting = toString(paste(names(own), unlist(own))))
    row$runs <- list(vapply(runs, `[[`, c(0, 0), 1))
    row$loss <- list(if (count == 40) cbind(at, rowMeans(losses), apply(losses, 1, stats::sd)))
    many <- method == "cd" && count == 40 && k %in% c(1, 5, 10)
    row$thousand <- list(if (many) fit_of(x, y, k, "cd", 1, list(starts = 1000))$runs$objective)
    row
  })
}

found <- list(machine = machine())
data_sets <- c("SRBCT", "UMIST", "USPS", "COIL20", "Isolet")
for (part in c("objective", "accuracy")) for (name in data_sets) {
  data <- bench_data(name)
  found$sizes[[name]] <- c(dim(data$x), length(unique(data$y)))
  for (method in names(if (part == "accuracy") sets_by else fixed)) {
    cell <- kept(store_file("cdlsr", paste0(part, "_", name, "_", method, ".rds")), {
      t0 <- seconds_now()
      rows <- get(part)(scale(unname(data$x))[, ], factor(data$y), name, method)
      list(rows = if (length(rows)) cbind(data = name, method, rows), seconds = seconds_now() - t0)
    })
    found[[part]] <- rbind(found[[part]], cell$rows)
    found$seconds[paste(part, name, method)] <- cell$seconds
  }
}
invisible(keep(found, results_file("cdlsr.rds")))
