# Values of arguments by name: those that a careful caller gives, and others. An
# argument that is not in the table is driven by its default.

argument_values <- list(
  k = list(
    plain = alist(1, 2, 3, 5),
    wild = alist(0, 1, 5, 1e6, 2.5, NA, -1, 3e9, "2", c(1, 3), NULL, 40, c(2, NA), 2:1, c(3, 3),
      mean, list(2)
    )
  ),
  m = list(plain = alist(1, 2, 3)),
  clusters = list(plain = alist(2, 3, 4)),
  neighbours = list(
    plain = alist(1, 3, 5, c(3, 5, 7)),
    wild = alist(0, 2.5, 1e6, 3e9, -1, NA, c(3, NA), c(5, 5), 2:1, "3", list(3), numeric(0), NULL,
      Inf, 1:40
    )
  ),
  search = list(plain = alist("exact", "approximate"), wild = alist("fast", NA, 1, NULL)),
  landmarks = list(
    plain = alist(10, 15, 20000), wild = alist(1, 9, 10, NA, 1e10, "a", 10.5, 11:12)
  ),
  include = list(plain = alist(NULL, 1, 2:3, "g1"), wild = alist(
    0, c(1, 1), "bad", c(1, NA), 1.5, integer(0), 1e6, -1, list(1), TRUE, 1:10, NA, factor("g1")
  )),
  exclude = list(plain = alist(NULL, 4, c(5, 10), "g2"), wild = alist(
    0, c(4, 4), "bad", c(4, NA), 1.5, character(0), 1e6, -1, list(1), FALSE, 1:10, 1, NA
  )),
  na.action = list(
    plain = alist(NULL, na.omit, na.exclude, "na.omit", na.pass),
    wild = alist(na.fail, "bad", 1, mean, function(x) NULL, identity, function(x) x[1, ], NA,
      list()
    )
  ),
  dims = list(plain = alist(1, c(1, 2), 2:1), wild = alist(0, 1:3, c(1, 1), 99, NA, "v1", 1.5)),
  groups = list(
    plain = alist(NULL, rep(1:2, 10), rep(letters[1:4], 5), rep_len(1:4, 10),
      list(a = 1:2, b = 3:5), list(a = c("g1", "g2"))
    ),
    wild = alist(1:3, rep(NA, 20), letters, list(1, 2), dense(20, 2), seq_len(20), "a", 1:1000,
      list(a = 1:2, b = 2:3), list(a = 0), list(a = NULL), list(a = "bad"), list(), mean, TRUE,
      rep("", 10), factor(rep(1:3, 30)), list(a = list(1)), list(a = 1, a = 2), 1i
    )
  ),
  solver = list(
    wild = alist("bad", "ex", "exact", "mm", NA, 2, c("mm", "rtr"), list("mm"), mean, "", NULL)
  ),
  n = list(plain = alist(1, 3, 6, 30)),
  starts = list(
    plain = alist(0, 1, 2, 3),
    wild = alist(-1, 1.5, NA, 3e9, "2", 1:2, NULL, list(1), mean, Inf, numeric(0))
  ),
  seed = list(
    plain = alist(NULL, 0, 1, 17, 2147483647),
    wild = alist(-1, 1.5, NA, 3e9, "1", 1:2, list(1), mean, Inf, numeric(0), TRUE, 1e300)
  ),
  r = list(plain = alist(1, 1.1, 1.2, 2, 10)),
  p = list(plain = alist(0.5, 1, 2)),
  rho = list(plain = alist(1, 1.02, 2)),
  ridge = list(plain = alist(0, 1e-8, 1e-3, 1)),
  tokens = list(plain = alist(2, 5, 10)),
  sigma_steps = list(plain = alist(0, 1, 3)),
  cut = list(plain = alist(NULL, 0, 0.1, 0.9)),
  eta = list(plain = alist(NULL, 0, 0.1, 10)),
  teacher = list(wild = alist("bad", NA, 2, c("a", "b"), list("a"), mean, NULL, dense(20, 2))),
  style = list(wild = alist("bad", 0, 1, 2, 3, -1, NA, 1.5, c(1, 2), NULL)),
  at = list(plain = alist(1, 0.1, 3)),
  limit = list(plain = alist(1, 4)),
  digits = list(plain = alist(1, 3, 7)),
  time_limit = list(plain = alist(0.1, 1, 2)),
  methods = list(
    plain = alist("css", c("css", "bsufs"), c("cdlsr", "fspca"), list(a = 1:5, b = 5:1),
      list(a = function(x, ...) order(-apply(x, 2, var)))
    ),
    wild = alist(c("css", "css"), "bad", list(1), list(a = 1), list(a = length), c("css", NA),
      list(a = 1:3, a = 2), list(a = function(x) NULL), character(0), list(a = "x")
    )
  ),
  assay = list(
    plain = alist(1, "counts"),
    wild = alist("bad", 2, NA, 0, list(1), mean, 1:2, TRUE, "logcounts")
  ),
  subset = list(
    plain = alist(NULL, seq_len(samples_of(x)) > 2, -1, "good"),
    wild = alist(0, 1:1000, NA, "bad", list(1), mean, c(1, -2), c(2, 2), logical(0))
  ),
  return = list(plain = alist("fit"), wild = alist("object", NA, 1, "bad", NULL)),
  size_factors = list(
    plain = alist(NULL, seq_len(samples_of(x))),
    wild = alist(1, 0, NA, "a", rep(-1, samples_of(x)), rep(Inf, samples_of(x)), list(1), mean)
  ),
  fit = list(
    plain = alist(1:4, c(3, 1, 2), object("css"), object("bsufs"), object("cdlsr")),
    wild = alist(c("a", "b"), c(1, 1), 0, 100, c(1, NA), 1.5, list(1), character(0), factor("g1"))
  ),
  a = list(
    plain = alist(1:4, c(2, 3, 1), object("css"), -2:2, dense(4, 2)),
    wild = alist(c(1, 1), "a", c(1, NA), 1e300, 1e155, -1e-320, c(NaN, 1), Inf, dense(3, 2))
  ),
  b = list(
    plain = alist(1:4, c(4, 2), object("bsufs")),
    wild = alist(c(1, 1), "a", c(1, NA), 0)
  ),
  scores = list(
    plain = alist(dense(5, 3), named(dense(5, 3)), dense(6, 4, "rounded")),
    wild = alist(letters, dense(5, 3) * 1e300, with_cells(dense(5, 3), NA), dense(1, 3),
      dense(3, 1), as.data.frame(dense(5, 3)), data.frame(data = 1:2, method = "a", k = 1),
      dense(5, 3) * 0
    )
  ),
  truth = list(
    plain = alist(1:6, c(1, 1, 2, 2, 3, 3), letters[c(1, 1, 1, 2, 2, 2)], rep(1, 6)),
    wild = alist(c(1, NA), list(1, 2), character(0), 1:100000, dense(3, 2), c("a", NA), 1, NaN)
  ),
  cluster = list(
    plain = alist(6:1, c(1, 2, 1, 2, 1, 2), factor(letters[c(1, 1, 2, 2, 3, 3)]), rep(1, 6)),
    wild = alist(1:3, c(1, NA), list(1, 2), 1:100000, dense(3, 2))
  ),
  selected = list(
    plain = alist(1, 1:3, "g1", object("css"), object("groups_fit"), object("cv_rowsparse_cv"),
      rowsparse(x, k = 2, method = "fspca", m = 1), rowsparse(x, k = 3, method = "fspca", m = 2),
      rowsparse(x, drop(response(x)), k = 3, method = "cdlsr", ridge = 1),
      rowsparse(x, classes(x), k = 2, method = "cdlsr"), rowsparse(x, k = 2, method = "css"),
      rowsparse(x, k = 4, method = "css"), rowsparse(x, k = 2, method = "alignment"),
      rowsparse(x, k = 3, method = "alignment", exclude = 1), dscofs(x, k = 2, m = 1, include = 2),
      rowsparse(x, classes(x), k = 2, method = "s2dfs", m = 1),
      rowsparse(x, k = 3, method = "sf2sog"),
      rowsparse(x, k = 2, method = "ndfs"), rowsparse(x, k = 2, method = "lapscore"),
      fspca(x, k = 2, m = 1, groups = rep_len(1:4, 10)),
      cdlsr(x, classes(x), k = 1, groups = rep_len(1:3, 10)),
      cv_rowsparse(x, method = "css", k = 1:2, folds = 3)
    ),
    wild = alist(0, c(1, 1), "bad", c(1, NA), 1.5, integer(0), 1e6, -1, list(1), TRUE)
  ),
  tolerance = list(
    plain = alist(NULL, 0, 0.01, 0.2, c(0.1, 0.01), 0.9),
    wild = alist(1, -0.1, NA, c(0.1, NA), numeric(0), "a", 1e-320, list(0.1), 0.9999999999, NaN)
  ),
  sets = list(plain = alist(0, 1, 5, 1000), wild = alist(-1, 1.5, NA, 1e7, "2", 1:2, NULL, Inf)),
  seconds = list(plain = alist(0, 0.1, 1, 5), wild = alist(-1, NA, "1", Inf, 1e300, 1:2, NULL)),
  grid = list(
    plain = alist(list(k = 1:3), list(k = 1:3, m = 1:2), list(k = c(2, 5)), NULL),
    wild = alist(list(), list(k = NA), list(bad = 1), list(m = 1:2), list(k = 1e6), list(k = "a"),
      list(k = 1:3, k = 2), list(1), list(k = 0), list(k = numeric(0)), list(k = 1:2, m = "a"),
      data.frame(k = 1:2), list(k = 1:3, lambda = -1), c(k = 1), list(k = mean), list(k = list(1))
    )
  )
)

# anything but what is asked for
anything <- function() {
  pick(alist(
    NULL, NA, NA_character_, NA_real_, NaN, Inf, -Inf, "a", "", character(0), numeric(0), list(),
    list(1, "a"), mean, y ~ x, globalenv(), 1e300, -1, 0, 3e9, 1e10, 0.5, 1:3, c(a = 1), TRUE,
    c(TRUE, FALSE), 1i, raw(1), as.Date("2024-02-29"), strrep("a", 10000), matrix(1),
    array(1, c(1, 1, 1)), array(1:8, c(2, 2, 2)), factor("a"), data.frame(), iris,
    expression(a), quote(a), Matrix::Matrix(0), -0.0, 1e-320, Sys.time(), structure(1, class = "b"),
    structure(list(), class = "rowsparse"), structure(list(), class = "rowsparse_control"),
    letters, 1e300 * 1:2, c(1, NA), 2147483647, 2147483648, as.difftime(1, units = "mins"),
    matrix("a", 2, 2), matrix(list(), 0, 0), matrix(0, 0, 3), matrix(0, 3, 0), "\u00e9\u6f22", 1e5
  ))
}

# a number that is wrong, or nearly
odd_number <- function() {
  pick(alist(
    0, -1, 1, 2, NA, NA_integer_, NaN, Inf, -Inf, 1e300, 1e-300, 1e-320, -1e-5, 0.5, 3e9, 1e10,
    2147483647, 2147483648, 1e15, 1:2, "1", TRUE, NULL, numeric(0), 1e-16, 1 + 1e-9, c(1, NA), 100,
    -2147483648, list(1), matrix(2), c(b = 2), 1L
  ))
}

responses <- alist(
  classes(x), classes(x, 3), classes(x, 26), as.character(classes(x)), unclass(classes(x)),
  response(x), drop(response(x)), response(x, 3), as.data.frame(response(x, 2)), response(x, 0),
  classes(x) == "a", drop(response(x)) * 1e-200, drop(response(x)) * 1e200,
  drop(response(x)) * 1e-310, response(x) * 1e160, drop(response(x)) + 1e12,
  drop(response(x)) * 1e308, seq_len(samples_of(x)), factor(seq_len(samples_of(x))),
  paste(seq_len(samples_of(x))), replace(drop(response(x)), 1, NA),
  replace(drop(response(x)), 2, Inf), replace(drop(response(x)), 1, 1e300),
  replace(classes(x), 1, NA), replace(drop(response(x)), 1, NaN), rep(1, samples_of(x)),
  rep("a", samples_of(x)), factor(classes(x), levels = letters), classes(x)[-1],
  drop(response(x))[-1], c(drop(response(x)), 1), as.list(classes(x)), ordered(classes(x)),
  drop(response(x)) * 1i, as.Date(seq_len(samples_of(x)), "1970-01-01"), response(x) * 0,
  cbind(response(x), 1), cbind(response(x), response(x)), as.matrix(classes(x)), 5, 3L, "class",
  matrix(0, samples_of(x), 0), round(drop(response(x))),
  stored(round(response(x) * 9), "integer"), named(response(x, 2), c("a", "a")), x,
  data.frame(classes(x)), response(x) > 0, factor(rep(NA, samples_of(x))),
  Matrix::Matrix(response(x)), rep(c("a", strrep("b", 5000)), length.out = samples_of(x))
)

controls <- list(
  plain = alist(
    rowsparse_control(), rowsparse_control(maxit = 5), list(tol = 1e-3),
    rowsparse_control(tol = 1e-10, maxit = 50), rowsparse_control(maxit = 1),
    rowsparse_control(tol = 0, maxit = 100),
    rowsparse_control(inner_maxit = 1), rowsparse_control(inner_tol = 0, inner_maxit = 50),
    rowsparse_control(verbose = TRUE), rowsparse_control(tol = 1)
  ),
  wild = alist(
    structure(list(), class = "rowsparse_control"), list(), list(maxit = 0), list(tol = -1),
    list(5), list(bad = 1), list(maxit = NA), list(threads = 2), rowsparse_control(tol = 1e300),
    edited(rowsparse_control(), "maxit", NA), edited(rowsparse_control(), "maxit", -5L),
    edited(rowsparse_control(), "maxit", 3e9), edited(rowsparse_control(), "maxit", "a"),
    edited(rowsparse_control(), "maxit", 0L), edited(rowsparse_control(), "maxit", 1e6),
    edited(rowsparse_control(), "tol", NA), edited(rowsparse_control(), "tol", NaN),
    edited(rowsparse_control(), "tol", "a"), edited(rowsparse_control(), "tol", -1),
    edited(rowsparse_control(), "tol", 1:2), edited(rowsparse_control(), "tol", list()),
    edited(rowsparse_control(), "inner_tol", NA), edited(rowsparse_control(), "inner_tol", "a"),
    edited(rowsparse_control(), "inner_maxit", -1L), edited(rowsparse_control(), "inner_maxit", NA),
    edited(rowsparse_control(), "verbose", NA), edited(rowsparse_control(), "verbose", "a"),
    edited(rowsparse_control(), "extra", 1), without(rowsparse_control(), "verbose"),
    list(verbose = NA), list(verbose = 2), NULL, "a", rowsparse_control, list(tol = 1, tol = 2),
    list(tol = 1e-320), list(inner_tol = 1e300)
  )
)

starts <- list(
  plain = alist(NULL, dense(10, 2), object("css"), object("bsufs"), object("dscofs")),
  wild = alist(dense(10, 2), dense(3, 3), 1:3, dense(10, 2) * 0, dense(10, 2) * 1e300,
    with_cells(dense(10, 2), NA), "a", list(1), dense(10, 2, "rank1"), c(1, 1, 1), 0, 11, NA
  )
)

# of the samples, as clusters to start from
first_labels <- list(
  plain = alist(rep_len(1:3, samples_of(x)), classes(x), dense(samples_of(x), 2, "counts")),
  wild = alist(rep(1, samples_of(x)), seq_len(samples_of(x)), rep(NA, samples_of(x)),
    rep_len(c(1, 1e6), samples_of(x)), dense(samples_of(x), 2), dense(samples_of(x), 2) * 0,
    dense(samples_of(x), 2, "counts") * 1e300, rep_len(c(-1, 2.5), samples_of(x)),
    matrix(0, samples_of(x), 0), rep_len(letters, samples_of(x))
  )
)

slots <- list(
  p = alist(c(0L, 5L, 2L, 9L), 0L, integer(0), c(0L, -1L, 3L), c(0, 1, 2), NULL, rep(0L, 11),
    c(3L, rep(5L, 10)), c(0L, rep(1000000000L, 10)), c(0L, NA, rep(200L, 9)),
    c(0L, 20L, 10L, seq(60L, 200L, 20L))
  ),
  i = alist(integer(0), 1000000L, -1L, NA_integer_, rep(0L, 200), rep(1000000000L, 200),
    rep(-5L, 200), c(rep(19L, 199), NA), rep(0, 200), 199:0, rep(19:0, 10)
  ),
  x = alist(numeric(0), 1, NULL, "a", 1:200, rep(NA_real_, 200), rep(TRUE, 200), rnorm(199)),
  Dim = alist(c(5L, 5L), c(50000L, 10L), c(20L, 1000000L), c(-1L, 3L), 20L, c(NA, 10L),
    c(20, 10), NULL, c(20L, 9L), c(20L, 11L)
  ),
  Dimnames = alist(list(NULL, "a"), list(), NULL, list(NULL, 1:10), list("a", NULL), "a")
)

# what an element of an object is replaced by
replacements <- alist(
  NULL, NA, "a", -1, 0L, 1e300, list(), mean, character(0), numeric(0), NaN, Inf, 1:3, TRUE,
  matrix(1), 3e9, list(1, "a"), letters, c(NA, 1), quote(a), data.frame(a = 1), -5:5
)
