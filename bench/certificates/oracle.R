# The oracle in numbers of 113 bits: oracle.c, compiled into a temporary folder.

compile_oracle <- function(source = file.path("bench", "certificates", "oracle.c")) {
  folder <- tempfile("oracle")
  dir.create(folder)
  file.copy(source, folder)
  writeLines("PKG_LIBS = -lquadmath", file.path(folder, "Makevars"))
  here <- setwd(folder)
  on.exit(setwd(here))
  made <- system2(file.path(R.home("bin"), "R"), c("CMD", "SHLIB", "oracle.c"), TRUE, TRUE)
  library <- file.path(folder, paste0("oracle", .Platform$dynlib.ext))
  if (!file.exists(library)) stop(paste(c("the oracle was not compiled:", made), collapse = "\n"))
  dyn.load(library)[["name"]]
}

oracle <- function(name, ...) .Call(paste0("oracle_", name), ..., PACKAGE = "oracle")

# How the data come to a method: levels, weights, divided by the deviation?
view <- function(x, scale = FALSE, group = rep(1L, nrow(x)), weights = rep(1, nrow(x))) {
  storage.mode(x) <- "double"
  list(x = unname(x), group = as.integer(group), weight = as.double(weights), scale = scale)
}

# sets of unequal sizes, one after the other
each_set <- function(sets, of) {
  each <- lapply(sets, function(set) of(matrix(set)))
  list(values = vapply(each, `[[`, 0, "values"), claims = each[[1]]$claims)
}

# The objectives of the sets (columns, or a list) and the claims, as shares of ||Yc||^2
quad_regression <- function(v, Y, sets, ridge = 0, claims = numeric(), resolve = 0,
                            scale_y = FALSE) {
  if (is.list(sets)) {
    return(each_set(sets, function(set) {
      quad_regression(v, Y, set, ridge, claims, resolve, scale_y)
    }))
  }
  storage.mode(sets) <- "integer"
  out <- oracle("regression", v$x, Y, v$group, v$weight,
    c(v$scale, ridge, resolve, scale_y) + 0, sets, as.double(claims)
  )
  list(values = out[seq_len(ncol(sets))], claims = out[-seq_len(ncol(sets))])
}

# What m components of the sets carry, and the claims, as shares of tr(S)
quad_components <- function(v, sets, m, claims = numeric()) {
  if (is.list(sets)) return(each_set(sets, function(set) quad_components(v, set, m, claims)))
  storage.mode(sets) <- "integer"
  out <- oracle("components", v$x, v$group, v$weight, v$scale, sets, as.integer(m),
    as.double(claims)
  )
  list(values = out[seq_len(ncol(sets))], claims = out[-seq_len(ncol(sets))])
}

# S, its eigenvalues and the diagonal of its approximation of rank c, as shares of tr(S)
quad_spectrum <- function(v, rank, claims = numeric()) {
  out <- oracle("spectrum", v$x, v$group, v$weight, v$scale, as.integer(rank), as.double(claims))
  stats::setNames(out, c("S", "values", "diagonal", "claims", "trace"))
}

# the value at Omega = FF', and the shares of it by which the claims are above
quad_reconstruction <- function(v, root, middle, lambda, eta, l21, claims = numeric()) {
  out <- oracle("reconstruction", v$x, v$group, root + 0, middle + 0,
    c(v$scale, lambda, eta, l21) + 0, v$weight, as.double(claims)
  )
  list(value = out[1], above = out[-1])
}

quad_rows <- function(v, Y, W, lambda, claims = numeric(), squares = FALSE) {
  out <- oracle("rows", v$x, Y + 0, v$group, unname(W) + 0,
    c(v$scale, lambda, squares) + 0, v$weight, as.double(claims)
  )
  list(value = out[1], above = out[-1])
}

quad_table <- function(v) oracle("table", v$x, v$group, v$weight, v$scale)
