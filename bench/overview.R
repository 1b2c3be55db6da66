# Every method with its defaults on three sets of different shapes: processor
# seconds, median of three runs. 40 features where a method selects exactly, as
# many groups as the set has classes. Prints a table in markdown.
source(file.path("bench", "common.R"))
machine_line()

fits <- function(x, y, k = 40) {
  groups <- length(unique(y))
  list(
    bsufs = function() bsufs(x, m = groups),
    dscofs = function() dscofs(x, k = k, m = groups),
    spca_psd = function() spca_psd(x),
    css = function() css(x, k = k, m = Inf),
    kmeans_ufs = function() kmeans_ufs(x, k = k, clusters = groups),
    cdlsr = function() cdlsr(x, factor(y), k = k),
    fspca = function() fspca(x, k = k, m = groups),
    spcafs = function() spcafs(x, m = groups),
    rfs = function() rfs(x, factor(y))
  )
}

processor_seconds <- function(fit, repeats = 3) {
  stats::median(replicate(repeats, {
    time <- system.time(suppressWarnings(fit()))
    time[["user.self"]] + time[["sys.self"]]
  }))
}

sets <- lapply(c("COIL20", "GLIOMA", "orlraws10P"), bench_data)
seconds <- vapply(sets, function(set) {
  vapply(fits(set$x, set$y), processor_seconds, 0)
}, numeric(9))

heads <- vapply(sets, function(set) sprintf("%s %d x %d", set$name, nrow(set$x), ncol(set$x)), "")
cat(sprintf("| method | %s |\n", paste(heads, collapse = " | ")))
cat("|---|", strrep("---:|", length(sets)), "\n", sep = "")
rows <- apply(seconds, 1, function(row) paste(sprintf("%.2f", row), collapse = " | "))
cat(sprintf("| `%s()` | %s |\n", names(rows), rows), sep = "")
