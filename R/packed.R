# Counts of a source that are kept in memory when they are looked at, so that they are read once:
# two bytes for the row of each and one or two for the count, where a dgCMatrix takes twelve.

# a sparse block of whole numbers from 0 to 65535, packed; NULL for another
packed_block <- function(rows) {
  if (is_sparse_block(rows) && nrow(rows) <= 65536L) {
    packed <- .Call(C_pack_counts, rows@i, rows@x)
    if (!is.null(packed)) c(packed, list(p = rows@p, dim = rows@Dim, names = rows@Dimnames))
  }
}

# log2(count / factor + 1), as log_by_sample() has it; factors: one of each row
logged_packed <- function(packed, factors) {
  found <- .Call(C_unpack_logged, packed, factors)
  new_sparse(found$i, packed$p, found$x, packed$dim, packed$names)
}

# the packed blocks with one more; NULL from the first on that cannot be packed or for which a
# quarter of the memory is too small
keep_packed <- function(packed, rows) {
  one <- if (!is.null(packed)) packed_block(rows)
  if (!is.null(one)) {
    packed <- c(packed, list(one))
    bytes <- sum(vapply(packed, function(x) length(x$row) + length(x$count) + 4 * length(x$p), 0))
    if (bytes <= passes_memory()) packed
  }
}
