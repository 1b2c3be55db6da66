# The memory of a fit beyond the data, told from sizes alone, and the refusal of what is too large.
# Each descriptor has `bytes`, a function of sizes, which adds up the parts below. Sizes are a list:
# n, d, stored (numbers that are stored), kind (of the data), sparse (are they, or their blocks?),
# side = min(n, d), copy (numbers of the centred copy), tall (rows of the largest block), levels (of
# `block`), room (bytes of the machine), and what is asked for: k, m and other arguments.

# ---- the refusal ----------------------------------------------------------------------

# Stop before a fit that the memory cannot hold, or of more samples than its method serves. `...`:
# what the method is asked for, by the names of sizes; NULL for what it chooses itself.
check_fit_size <- function(name, data, ...) {
  entry <- method_table()[[name]]
  most <- getOption("rowsparse.samples", entry$most_samples)
  refuse_if(data$n > most, "time", "x",
    sprintf("must have at most %s samples for %s(): its work is %s",
      format(most, big.mark = ",", scientific = FALSE), name, entry$cost
    ), sprintf("%.0f", data$n),
    "Take fewer, another method, or set options(rowsparse.samples = Inf)"
  )
  s <- complete_sizes(data_sizes(data), entry, list(...))
  check_memory(fit_bytes(entry, s), "x", paste(ways_out(entry, s), collapse = ", or "))
}

# stop before a request that cannot fit: `bytes` needed, `way_out` a sentence
check_memory <- function(bytes, argument, way_out) {
  available <- memory_bytes()
  refuse_if(is.finite(available) && bytes > available, "memory", argument,
    sprintf("asks for %.1f GB of memory where the machine has %.1f GB; %s", bytes / 1e9,
      available / 1e9, way_out
    )
  )
}

# other kinds of data, and numbers of features, with which the fit would have room
ways_out <- function(entry, s) {
  fits <- function(...) fit_bytes(entry, within_data(utils::modifyList(s, list(...)))) <= s$room
  others <- setdiff(entry$input, s$kind)
  fewer <- Find(function(d) {
    d >= s$k && fits(d = d, stored = if (s$kind == "moments") d^2 else s$stored * d / s$d)
  }, floor(s$d / 2^seq_len(20)))
  c(
    if (s$kind == "dense" && "sparse" %in% others &&
          fits(kind = "sparse", stored = s$n * s$d / 10, sparse = TRUE)) {
      "pass a sparse matrix if most values are zero"
    },
    if ("moments" %in% others && 8 * s$d^2 <= s$room &&
          fits(kind = "moments", stored = s$d^2, sparse = FALSE)) {
      "pass moments() of blocks of rows"
    },
    if (s$kind != "moments" && "blocks" %in% others && is.finite(entry$passes) &&
          fits(kind = "blocks", tall = min(s$n, 1e3))) {
      "pass row_blocks()"
    },
    if (!is.null(fewer)) sprintf("select features first (at most %.0f)", fewer),
    "choose another method (column `cost` of rowsparse_methods())"
  )
}

# physical memory in bytes; Inf if it cannot be told
memory_bytes <- function() {
  option <- getOption("rowsparse.memory")
  if (is.null(known_memory$bytes)) {
    info <- if (file.exists("/proc/meminfo")) readLines("/proc/meminfo", n = 1L) else ""
    total <- as.numeric(gsub("[^0-9]", "", info))
    known_memory$bytes <- if (is.na(total)) Inf else 1024 * total
  }
  if (is_number(option)) option else known_memory$bytes
}

# does not change while R runs
known_memory <- new.env(parent = emptyenv())

# ---- sizes ----------------------------------------------------------------------------

# Sizes of data from as_data(); moments of low rank work as two rows for each of their factor
data_sizes <- function(data) {
  kind <- if (is_sketch(data)) "dense" else data$kind
  n <- as.double(if (is_sketch(data)) 2 * nrow(data$factor) else data$n)
  d <- as.double(data$d)
  list(
    kind = kind, n = n, d = d,
    stored = switch(kind,
      sparse = length(data$x), moments = d^2, blocks = n * d * data$density, n * d
    ),
    sparse = kind == "sparse" || isTRUE(data$sparse),
    tall = if (kind == "blocks") max(diff(data$start)) else n,
    levels = max(1, length(data$block$levels)), quick = isTRUE(data$quick)
  )
}

data_bytes <- function(s) if (s$sparse) 12 * s$stored + 4 * (s$d + 1) else 8 * s$stored

# Sizes with those asked for. A method that chooses its dimension takes 4 to 15 on real data.
complete_sizes <- function(s, entry, asked) {
  usual <- function(argument) {
    value <- or_default(entry$defaults[[argument]], eval(formals(entry$fit)[[argument]]))
    if (is.character(value)) value[1] else value
  }
  # what is no size is left to the checks of the method
  is_size <- function(value) is.numeric(value) && all(value >= 0) %in% TRUE
  is_told <- lengths(asked) > 0L & (vapply(asked, is_size, NA) | !names(asked) %in% numeric_sizes)
  asked <- asked[is_told]
  assumed <- list(
    k = 50, m = 15, clusters = 15, classes = 5, neighbours = or_default(usual("neighbours"), 5),
    solver = or_default(usual("solver"), ""), room = memory_bytes()
  )
  s <- utils::modifyList(c(s, assumed), asked)
  s$given <- names(asked)
  s$only_leading <- entry$only_leading(s)
  within_data(s)
}

numeric_sizes <- c(
  "k", "m", "clusters", "classes", "neighbours", "components", "landmarks", "sigma_steps"
)

# what is asked for, no more than the data have
within_data <- function(s) {
  s$side <- min(s$n, s$d)
  s$copy <- if (s$kind == "dense") s$n * s$d else 0
  s$k <- min(s$k, s$d)
  s$m <- min(s$m, s$side)
  s$clusters <- min(s$clusters, s$n)
  s$neighbours <- pmin(s$neighbours, s$n - 1)
  s
}

# ---- what it takes --------------------------------------------------------------------

# statistics, a centred copy, checks and results; row blocks as the method takes them: held, as
# second moments, or as they are, see passes.R
fit_bytes <- function(entry, s) {
  block <- if (s$kind == "blocks") 3 * s$tall / s$n * data_bytes(s) else 0
  reading <- 8 * (s$copy + (5 + s$levels) * s$d) + block
  if (s$kind == "blocks" && (is.infinite(entry$passes) || is_held_wide(s))) {
    reading <- reading + data_bytes(s) + 8 * held_copy(s)
    s[c("kind", "copy")] <- list(if (s$sparse) "sparse" else "dense", held_copy(s))
  } else if (s$kind == "blocks" && "moments" %in% entry$input && !entry$samples &&
               8 * s$d^2 <= s$room / 4 && !takes_wide_products(s)) {
    reading <- reading + 8 * s$d^2
    s <- as_formed(s)
  }
  reading + entry$bytes(s) + if (isTRUE(s$alternatives)) roles_bytes(entry, s) else 0
}

as_formed <- function(s) utils::modifyList(s, list(kind = "moments", copy = 0, sparse = FALSE))

# sizes for the covariance: those of moments if S is formed, about as the C code decides it
operator_sizes <- function(s) {
  formed <- s$kind != "moments" && 8 * s$d^2 <= s$room / 4 && !takes_wide_products(s) &&
    (s$kind == "blocks" || (s$d <= 2 * s$n && s$d^2 <= 40 * s$stored))
  if (formed) as_formed(s) else s
}

# Xc'Xc or Xc Xc', by the cheaper side
gram_bytes <- function(s) 8 * s$side^2

# the leading eigenpairs, of S or of Xc Xc', see eigen/leading
leading_bytes <- function(s, m) {
  formed <- operator_sizes(s)
  order <- if (formed$kind == "moments") s$d else s$side
  block <- min(order, max(m + 8, 1.4 * m))
  solver <- if (order <= max(256, block)) {
    3 * order^2 + if (formed$kind == "moments") 0 else s$side^2
  } else if (formed$kind != "moments" && s$n < s$d && s$n <= 6000) {
    s$n^2 + 6 * s$n * block
  } else if (takes_wide_products(s)) {
    15 * s$d * max(block, 32)
  } else {
    6 * (s$n + s$d) * block
  }
  8 * (solver + 2 * s$d * min(m, order) + if (formed$kind != s$kind) s$d^2 else 0)
}

# the leading eigenvalues that a default dimension goes by, and the vectors; those asked for
spectrum_bytes <- function(s) {
  asked <- intersect(c("m", "clusters"), s$given)
  leading_bytes(s, if (length(asked) > 0) s[[asked[1]]] else spectrum_length)
}

# exact nearest neighbours
neighbour_bytes <- function(s, k = s$neighbours) {
  8 * (3 * s$n * max(k) + min(256, s$n) * (s$n + 2 * s$d))
}

# the smallest eigenpairs of a Laplacian: six blocks of vectors
embedding_bytes <- function(s, m) 48 * s$n * min(s$n, max(m + 8, 1.4 * m))

# differences of all features along the edges of a graph
edge_bytes <- function(s) 512 * s$n

# a system of equations of the order of the smaller side, and the coefficients of the responses
ridge_bytes <- function(s, columns) 2 * gram_bytes(s) + 32 * columns * (s$d + s$n)
