# How panels of genes are judged: types of held-out cells, told from the genes of the panel alone
# by two rules that share no code with the package.

panel_sets <- c(
  "panc8_small", "zheng500", "mECS", "mix_rnamix_celseq2", "mix_3cl_2batch", "yan124", "Goolam"
)

# list(name, x, type, batch): log expressions, cells in rows, with names
panel_data <- function(name) {
  raw <- bench_data(name)
  x <- if (inherits(raw$x, "dgCMatrix")) logged(raw$x) else raw$x
  dimnames(x) <- list(paste0("c", seq_len(nrow(x))), paste0("g", seq_len(ncol(x))))
  list(name = name, x = x, type = factor(raw$y), batch = raw$batch)
}

# F1 of each type: 2 TP / (2 TP + FP + FN); NA for types without a held-out cell
f1_by_type <- function(truth, told) {
  vapply(levels(truth), function(type) {
    if (!any(truth == type)) return(NA_real_)
    2 * sum(truth == type & told == type) / (sum(truth == type) + sum(told == type))
  }, 0)
}

# By type, the mean F1 of a shrunken linear rule and of 10 neighbours on the genes of the panel;
# `macro` is its mean over the types
panel_f1 <- function(data, panel, train, test, draw = 1) {
  genes <- data$x[, panel, drop = FALSE]
  known <- as.matrix(genes[train, ])
  new <- as.matrix(genes[test, ])
  type <- droplevels(data$type[train])
  set.seed(draw) # of ties among the types of neighbours
  varies <- apply(known, 2, stats::var) > 0
  rule <- sda::sda(known[, varies, drop = FALSE], type, verbose = FALSE)
  told <- list(
    as.character(stats::predict(rule, new[, varies, drop = FALSE], verbose = FALSE)$class),
    as.character(class::knn(known, new, type, k = 10))
  )
  rowMeans(vapply(told, function(one) f1_by_type(data$type[test], one), numeric(nlevels(type))))
}

macro <- function(...) mean(panel_f1(...), na.rm = TRUE)

# numbers of the cells for training, a share of each type (two at least), drawn with a seed
training_cells <- function(type, seed, share = 2 / 3) {
  set.seed(seed)
  unlist(lapply(split(seq_along(type), type), function(own) {
    own[sample.int(length(own), max(2, round(share * length(own))))]
  }), use.names = FALSE)
}
