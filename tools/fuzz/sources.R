# Data from elsewhere: experiments, files, HDF5, tables of other packages, readers
# that lie; and calls that cross such data with the options that all methods share. Expressions
# again, with their helpers first.

# ---- helpers that appear in generated calls ----------------------------------

# a file of the session's own folder, named by what is to be in it
place_for <- function(what, ending) {
  name <- paste0("fuzz-", short_name(what), ".", ending)
  file.path(tempdir(), name)
}

# a short name of an object: sums over its serialised bytes
short_name <- function(what) {
  bytes <- as.numeric(serialize(what, NULL, version = 3L)[-seq_len(23)])
  weight <- rep_len(c(1, 31, 961, 29791), length(bytes))
  sprintf("%08x", as.integer(sum(bytes * weight * (seq_along(bytes) %% 8191)) %% 2147483647))
}

# what a file becomes when its writing ended early, or something else wrote it
damaged <- function(file, how) {
  size <- file.size(file)
  bytes <- readBin(file, "raw", size)
  switch(how,
    sound = NULL,
    half = writeBin(bytes[seq_len(size %/% 2)], file),
    short = writeBin(utils::head(bytes, -3), file),
    empty = writeBin(raw(0), file),
    zeros = writeBin(raw(size), file),
    swapped = writeBin(rev(bytes), file),
    text = writeLines("not what it seems", file),
    gone = unlink(file),
    other = saveRDS(list(1, "a"), file),
    folder = {
      unlink(file)
      dir.create(file, showWarnings = FALSE)
    }
  )
  file
}

damages <- c("half", "short", "empty", "zeros", "swapped", "text", "gone", "other", "folder")

# files of samples in rows, the whole or in two parts
files_of <- function(x, ending = "rds", parts = 1, how = "sound") {
  rows <- split(seq_len(nrow(x)), rep_len(seq_len(parts), nrow(x)))
  vapply(seq_along(rows), function(i) {
    part <- x[rows[[i]], , drop = FALSE]
    file <- place_for(list(part, i, how), ending)
    unlink(file, recursive = TRUE)
    if (ending == "csv") {
      utils::write.csv(as.data.frame(part), file, row.names = FALSE)
    } else {
      saveRDS(part, file)
    }
    if (i == parts) damaged(file, how) else file
  }, "")
}

# an HDF5Matrix, samples in rows, or turned; the file may be damaged after it was opened
hdf5 <- function(x, turned = FALSE, how = "sound", chunk = c(5, 3)) {
  file <- place_for(list(x, turned, how), "h5")
  unlink(file, recursive = TRUE)
  values <- if (turned) t(x) else x
  out <- HDF5Array::writeHDF5Array(values, file, "x", chunkdim = pmin(chunk, dim(values)),
    with.dimnames = TRUE
  )
  if (how != "sound") damaged(file, how)
  if (turned) t(out) else out
}

# readers of four blocks of rows, all of them honest but for `how`
liar <- function(x, how = "honest") {
  reads <- 0L
  at <- split(seq_len(nrow(x)), rep_len(1:4, nrow(x)))
  function(number) {
    reads <<- reads + 1L
    rows <- x[at[[number]], , drop = FALSE]
    late <- reads > 5L
    switch(how,
      honest = rows,
      grows = if (late) rbind(rows, rows) else rows,
      shrinks = if (late) rows[-1, , drop = FALSE] else rows,
      changes = if (late) rows + 1 else rows,
      nan = if (late) rows * NaN else rows,
      na = replace(rows, number, NA),
      wider = if (late) cbind(rows, 1) else rows,
      narrower = if (number == 2) rows[, -1, drop = FALSE] else rows,
      renamed = named(rows, paste0("r", reads, "_", seq_len(ncol(rows)))),
      turned = t(rows),
      vector = as.vector(rows),
      text = array(as.character(rows), dim(rows)),
      frame = as.data.frame(rows),
      sparse = if (reads %% 2L == 0L) sparse(rows) else rows,
      whole = stored(round(rows), "integer"),
      logical = rows > 0,
      null = NULL,
      list = list(rows),
      late_null = if (late) NULL else rows,
      stops = stop("the disk is gone"),
      late_stops = if (late) stop("the disk is gone") else rows,
      warns = {
        warning("the disk is slow")
        rows
      },
      complex = rows + 0i,
      function_of = function() rows,
      huge = rows * 1e200,
      empty = rows[0, , drop = FALSE],
      late_type = if (late) rows > 0 else rows
    )
  }
}

lies <- c("honest", "grows", "shrinks", "changes", "nan", "na", "wider", "narrower", "renamed",
  "turned", "vector", "text", "frame", "sparse", "whole", "logical", "null", "list", "late_null",
  "stops", "late_stops", "warns", "complex", "function_of", "huge", "empty", "late_type"
)

# an experiment with what its tables of genes and samples may hold; features are its rows
cells <- function(x, class = "SingleCellExperiment", assay = "logcounts", genes = "unique",
                  table = "text", kept = "memory") {
  d <- ncol(x)
  n <- nrow(x)
  values <- t(x)
  if (assay == "counts") values <- round(abs(values) * 3)
  if (assay == "fractions") values <- abs(values) * 3
  if (kept == "sparse") values <- sparse(values)
  if (kept == "hdf5") values <- hdf5(values)
  if (kept == "turned") values <- hdf5(values, turned = TRUE)
  assays <- stats::setNames(list(values), if (assay == "fractions") "counts" else assay)
  if (assay == "both") assays <- list(counts = round(abs(values)), logcounts = values)
  out <- getExportedValue(class, class)(assays, colData = sample_table(n))
  SummarizedExperiment::rowData(out) <- gene_table(d, table)
  rownames(out) <- switch(genes,
    unique = paste0("g", seq_len(d)), twice = rep_len(c("g1", "g2", "g3"), d), none = NULL,
    missing = replace(paste0("g", seq_len(d)), 1, NA), empty = replace(letters[1], 2:d, "")
  )
  out
}

sample_table <- function(n) {
  S4Vectors::DataFrame(
    batch = rep_len(c("a", "b"), n), class = factor(rep_len(letters[1:3], n)),
    weight = rep_len(c(1, 2, 0), n), good = seq_len(n) > 2, alone = seq_len(n),
    some = replace(rep_len(c("u", "v"), n), 1, NA), value = seq_len(n) / n,
    run = S4Vectors::Rle(rep_len(1:2, n)), list = I(as.list(seq_len(n)))
  )
}

gene_table <- function(d, table) {
  switch(table,
    text = S4Vectors::DataFrame(id = paste0("ENSG", seq_len(d)), symbol = rep_len("s", d)),
    partial = S4Vectors::DataFrame(i = seq_len(d), x = rep(TRUE, d), identifiers = rep("a", d)),
    lists = S4Vectors::DataFrame(ids = I(as.list(seq_len(d))), p = rep(NA, d)),
    factors = S4Vectors::DataFrame(type = factor(rep_len(c("a", "b"), d)), rowsparse = seq_len(d)),
    empty = S4Vectors::make_zero_col_DFrame(d)
  )
}

table_as <- function(x, form = "tibble") {
  frame <- as.data.frame(x)
  switch(form,
    tibble = tibble::as_tibble(frame),
    data.table = data.table::as.data.table(frame),
    text = cbind(frame, label = "a"),
    factor = cbind(frame, label = factor(rep_len(letters[1:3], nrow(frame)))),
    lists = within(frame, cells <- I(as.list(seq_len(nrow(x))))),
    twice = stats::setNames(frame, rep_len(c("a", "b"), ncol(frame))),
    nested = within(frame, inner <- x),
    dates = within(frame, day <- as.Date(seq_len(nrow(x)), "1970-01-01")),
    flags = as.data.frame(x > 0),
    unnamed = unname(frame),
    rows = stats::setNames(as.data.frame(x[rev(seq_len(nrow(x))), , drop = FALSE]), names(frame))
  )
}

# ---- generators --------------------------------------------------------------

small_matrix <- function() {
  size <- pick(list(c(20, 10), c(24, 6), c(12, 30), c(8, 5), c(3, 4)), c(8, 3, 3, 1, 0.3))
  kind <- pick(c("normal", "raised", "counts", "constant", "half_constant", "far", "mixed",
    "duplicated", "zeros"
  ), c(10, 3, 2, 0.3, 1, 1, 1, 1, 1))
  e <- call("dense", size[1], size[2], kind)
  if (chance(0.08)) e <- call("with_cells", e, pick(c(NA, Inf, 1e300)), 7)
  if (chance(0.7)) call("named", e) else e
}

has <- function(...) all(vapply(c(...), requireNamespace, NA, quietly = TRUE))

# what can be made here, with its weights
forms_of_data <- c(
  cells = 8 * has("SingleCellExperiment"), blocks_of_cells = 2 * has("SingleCellExperiment"),
  files = 4, hdf5 = 2 * has("HDF5Array"), delayed = 2 * has("HDF5Array"),
  liar = 6, table = 4, blocks = 4, summary_kinds = 2
)
places_of_assays <- c(memory = 6, sparse = 2, hdf5 = has("HDF5Array"), turned = has("HDF5Array"))
file_endings <- c(rds = 6, csv = 1, xyz = 0.5)
forms_of_tables <- c(tibble = 6 * has("tibble"), data.table = 4 * has("data.table"), text = 1,
  factor = 1, lists = 1, twice = 1, nested = 1, dates = 1, flags = 1, unnamed = 1, rows = 1
)

damage_or_not <- function() if (chance(0.6)) "sound" else pick(damages)

# data from elsewhere, of any kind that a function may be given
foreign_expression <- function() {
  e <- small_matrix()
  named <- if (identical(e[[1]], quote(named))) e else call("named", e)
  pieces <- pick(alist(NULL, 7, 3, c(5, 5, 10), 0, 1e9, 1), c(4, 4, 3, 1, 0.3, 0.3, 0.5))
  blocks <- function(x) as.call(list(quote(row_blocks), x, rows = pieces))
  switch(pick(names(forms_of_data), forms_of_data),
    cells = cells_expression(named),
    blocks_of_cells = blocks(cells_expression(named)),
    files = call("row_blocks", files_expression(named)),
    hdf5 = hdf5_expression(named),
    delayed = blocks(hdf5_expression(named)),
    liar = liar_expression(e),
    table = call("table_as", named, pick(names(forms_of_tables), forms_of_tables)),
    blocks = if (chance(0.5)) blocks(e) else blocks(call("sparse", e)),
    summary_kinds = as.call(list(quote(moments), e, rank = pick(alist(NULL, 2, 5)),
      block = pick(alist(NULL, rep_len(1:2, 20)))
    ))
  )
}

cells_expression <- function(e) {
  as.call(list(quote(cells), e,
    pick(c("SingleCellExperiment", "SummarizedExperiment")),
    pick(c("logcounts", "counts", "fractions", "both", "tpm"), c(5, 2, 2, 2, 1)),
    pick(c("unique", "twice", "none", "missing", "empty"), c(6, 2, 1, 1, 1)),
    pick(c("text", "partial", "lists", "factors", "empty")),
    pick(names(places_of_assays), places_of_assays)
  ))
}

files_expression <- function(e) {
  as.call(list(quote(files_of), e, pick(names(file_endings), file_endings), pick(1:3),
    damage_or_not()
  ))
}

hdf5_expression <- function(e) {
  call("hdf5", e, chance(0.5), if (chance(0.3)) pick(damages) else "sound")
}

liar_expression <- function(e) {
  rows <- quote(tabulate(rep_len(1:4, 20)))
  rows[[2]][[3]] <- as.numeric(if (identical(e[[1]], quote(dense))) e[[2]] else 20)
  if (chance(0.05)) rows <- 3
  as.call(c(list(quote(row_blocks), call("liar", e, pick(lies)), rows = rows),
    if (chance(0.2)) list(counts = chance(0.5)), if (chance(0.1)) list(names = letters[1:10])
  ))
}

# what the samples have beside their features, as a careful caller gives it, or nearly
option_values <- list(
  block = alist("batch", "batch", rep_len(1:2, samples_of(x)), factor(rep_len(1:3, samples_of(x))),
    "run", "some", "alone", "list", "nothing", rep(1, samples_of(x)), seq_len(samples_of(x)), NA,
    rep_len(c(NA, "a"), samples_of(x)), factor(character(0)), 1:3
  ),
  weights = alist(rep_len(1:3, samples_of(x)), rep_len(c(0, 1), samples_of(x)), "weight",
    rep(1, samples_of(x)), rep(0, samples_of(x)), rep_len(c(1, NA), samples_of(x)), -1, "class",
    rep_len(c(1e-8, 1e8), samples_of(x)), rep_len(c(1e-300, 1e300), samples_of(x)), 1:3, "nothing"
  ),
  diverse = alist(TRUE, TRUE, FALSE, NA),
  include = alist(1, 2:3, "g1", c("g2", "g3"), "symbol", "nothing", integer(0), "a\xff"),
  exclude = alist(1, 4:5, "g4", c("g5", "g6"), "nothing", "^g"),
  scale = alist(TRUE, FALSE),
  subset = alist("good", "good", 1:10, -1, "batch", TRUE, seq_len(samples_of(x)) > 3),
  assay = alist(1, "logcounts", "counts", "tpm", 2),
  return = alist("object", "fit"),
  k = alist(1, 2, 3, 4),
  m = alist(1, 2, NULL),
  seconds = alist(0, 0.2, 1), tolerance = alist(NULL, 0.01, c(0, 0.1), 1, -1), sets = alist(0, 3),
  certify = alist(FALSE, 0.2, TRUE),
  rank = alist(NULL, 2, 4),
  repeats = alist(2, 3), folds = alist(2, 3), random = alist(0, 2), nlambda = alist(3, 5),
  starts = alist(2, NULL), maxit = alist(5),
  neighbours = alist(2, 3),
  selected = alist(1:2, c("g1", "g2"), "g3", object("fspca"), object("css"), object("unnamed")),
  features = alist(1:2, c("g1", "g2"), object("fspca"), "nothing"),
  fit = alist(1:3, c("g1", "g2"), object("fspca"), object("css"), object("unnamed")),
  object = alist(object("fspca"), object("css"), object("alignment"), object("unnamed")),
  start = alist(NULL, object("fspca"), object("dscofs"), object("css")),
  criterion = alist("reconstruction", "stability"), grid = alist(list(k = 1:2), NULL)
)

crossed_response <- function() {
  pick(alist(classes(x), classes(x, 3), response(x), "class", "value", "batch", "list",
    drop(response(x)), response(x, 2), seq_len(samples_of(x)), rep_len(0:1, samples_of(x)),
    rep_len(c(TRUE, FALSE), samples_of(x)), y ~ ., "label", NULL
  ))
}

# the front door with a formula and a table, or an experiment
formula_call <- function() {
  setup <- list(x = pick(alist(g1 ~ ., label ~ ., g1 + g2 ~ ., cbind(g1, g2) ~ ., log(abs(g1)) ~ .,
    g1 ~ g2,
    g1 ~ g2 + g3 + g4 + g5, ~., g1 ~ 1, g1 ~ 0, g1 ~ g2:g3, g1 ~ . - g2, nothing ~ ., g1 ~ nothing,
    class ~ ., batch ~ g1, value ~ ., factor(g1 > 0) ~ ., NULL ~ ., g1 ~ poly(g2, 2), "g1 ~ ."
  )))
  e <- call("named", call("dense", 20, 10, pick(c("normal", "raised", "counts"))))
  setup$data <- switch(pick(c("frame", "table", "cells", "other"), c(4, 4, 2, 1)),
    frame = call("as.data.frame", e),
    table = call("table_as", e, pick(names(forms_of_tables), forms_of_tables)),
    cells = if (has("SingleCellExperiment")) cells_expression(e) else e,
    other = if (chance(0.5)) e else foreign_expression()
  )
  setup$k <- pick(alist(1, 2, 3))
  if (chance(0.6)) setup$method <- pick(method_names())
  for (option in c("diverse", "include", "exclude", "weights", "scale", "subset")) {
    values <- Filter(function(value) !"x" %in% all.names(value), option_values[[option]])
    if (chance(0.1)) setup[option] <- list(pick(values))
  }
  new_call("rowsparse", quote(rowsparse), setup)
}

crossed_targets <- c("rowsparse", "moments", "alternatives", "compare_panels", "cv_rowsparse",
  "rowsparse_path", "summary", "predict", "as.matrix", "print", "dim"
)

# a call with data from elsewhere, and options that go across the methods
crossed_call <- function() {
  if (chance(0.08)) {
    return(formula_call())
  }
  often <- c(8, rep(1, length(crossed_targets) - 1))
  name <- if (chance(0.4)) pick(exported_methods()) else pick(crossed_targets, often)
  if (name %in% c("summary", "predict", "as.matrix", "print", "dim")) {
    return(crossed_use(name))
  }
  formals <- formals_of(getExportedValue("rowsparse", name))
  required <- names(formals)[vapply(formals, is_required, NA)]
  arguments <- list(x = foreign_expression())
  if ("y" %in% required || ("y" %in% names(formals) && chance(0.3))) {
    arguments["y"] <- list(crossed_response())
  }
  if ("method" %in% names(formals) && chance(0.7)) arguments$method <- pick(method_names())
  options <- intersect(names(option_values), names(formals))
  usual <- union(required, c("k", "repeats", "folds", "nlambda", "seconds", "random"))
  options <- options[options %in% usual | stats::runif(length(options)) < 0.15]
  for (option in options) {
    values <- option_values[[option]]
    # the first ones are those that most data can serve
    likely <- rep_len(c(3, 3, 1), length(values)) / seq_along(values)
    arguments[option] <- list(pick(values, likely))
  }
  new_call(name, as.name(name), arguments)
}

crossed_use <- function(name) {
  setup <- list(x = foreign_expression())
  if (name == "summary") {
    setup <- list(object = pick(option_values$object), x = setup$x)
  } else if (name == "predict") {
    setup <- list(object = pick(option_values$object), newdata = setup$x,
      type = pick(c("features", "components", "response"))
    )
  } else if (name != "dim") {
    setup$x <- pick(list(liar_expression(small_matrix()), call("row_blocks", small_matrix())))
  }
  new_call(name, as.name(name), setup)
}
