# every selection takes the table, the number of classes and the classes;
# only cdlsr looks at the classes
selections <- list(
  "bsufs, m = 1" = function(x, classes, y) bsufs(x, m = 1),
  "bsufs, m = 1, scaled" = function(x, classes, y) bsufs(x, m = 1, scale = TRUE),
  "bsufs, m = 2" = function(x, classes, y) bsufs(x, m = 2),
  "dscofs, m = 1" = function(x, classes, y) dscofs(x, k = 2, m = 1, start = "leading"),
  "dscofs, m = 2" = function(x, classes, y) dscofs(x, k = 2, m = 2, start = "leading"),
  "fspca, m = 1" = function(x, classes, y) fspca(x, k = 2, m = 1),
  "spcafs, m = 1" = function(x, classes, y) spcafs(x, m = 1),
  "spcafs, m = 2" = function(x, classes, y) spcafs(x, m = 2),
  "spca_psd" = function(x, classes, y) spca_psd(x),
  "css" = function(x, classes, y) css(x, k = 2, m = Inf),
  "css, m = 1" = function(x, classes, y) css(x, k = 2, m = 1),
  "kmeans_ufs, exact" = function(x, classes, y) kmeans_ufs(x, k = 2, clusters = classes),
  "kmeans_ufs, alternate" = function(x, classes, y) {
    kmeans_ufs(x, k = 2, clusters = classes, solver = "alternate")
  },
  "cdlsr (labels)" = function(x, classes, y) cdlsr(x, y, k = 2)
)

# the two best features, or fewer when fewer have a score other than zero
top_two <- function(fit) {
  best <- fit$ranking[1:2]
  best[fit$scores[best] > 0]
}

select_two <- function(method, shape) {
  top_two(suppressWarnings(selections[[method]](shape$x, max(shape$y), factor(shape$y))))
}

found <- function(features, shape) setequal(features, shape$informative)
