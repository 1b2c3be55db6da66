# every selection takes the table, the classes and the number of features;
# only cdlsr looks at the classes
selections <- list(
  "bsufs, m = 4" = function(x, y, k) bsufs(x, m = 4),
  "bsufs, m = 10" = function(x, y, k) bsufs(x, m = 10),
  "dscofs, m = 4" = function(x, y, k) dscofs(x, k = k, m = 4, start = "leading"),
  "dscofs, m = 10" = function(x, y, k) dscofs(x, k = k, m = 10, start = "leading"),
  "fspca, m = 10" = function(x, y, k) fspca(x, k = k, m = 10),
  "spcafs, m = 10" = function(x, y, k) spcafs(x, m = 10),
  "spca_psd" = function(x, y, k) spca_psd(x),
  "css" = function(x, y, k) css(x, k = k, m = Inf),
  "css, m = 10" = function(x, y, k) css(x, k = k, m = 10),
  "kmeans_ufs, exact" = function(x, y, k) kmeans_ufs(x, k = k, clusters = 4),
  "kmeans_ufs, alternate" = function(x, y, k) {
    kmeans_ufs(x, k = k, clusters = 4, solver = "alternate")
  },
  "largest variance" = function(x, y, k) order(-apply(x, 2, var)),
  "cdlsr (labels)" = function(x, y, k) cdlsr(x, y, k = k)
)

best <- function(selection, k) {
  ranking <- if (inherits(selection, "rowsparse")) selection$ranking else selection
  ranking[seq_len(k)]
}

# 83 tumours of four classes; the five other samples are left out
read_khan <- function() {
  box <- new.env()
  utils::data("khan2001", package = "sda", envir = box)
  tumour <- box$khan2001$y != "non-SRBCT"
  x <- box$khan2001$x[tumour, ]
  colnames(x) <- make.unique(colnames(x)) # some clones occur twice
  list(x = x, y = droplevels(box$khan2001$y[tumour]))
}
