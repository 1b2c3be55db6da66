# The clustering tables and curves of BSUFS and DSCOFS, and of SPCA-PSD, on the data sets at hand:
# every method at its best setting of the papers' grids, chosen with the labels as the papers do.
#   OPENBLAS_NUM_THREADS=1 Rscript bench/papers/clusters.R [SETTING=value ...]
#     PAPER=tables,curves   the first two papers, and the third with its own sizes and grid
#     DATA=GLIOMA,UMIST  METHOD=bsufs  some data sets and methods only
#     BUDGET=40             processor seconds for the settings of a method on a data set; spca_psd
#                           has 60, bsufs and bsufs_demo have 150
#     RUNS=5                runs of k-means in place of the protocol's
# Cells are kept in build/papers; clusters_<paper>.csv and settings_<paper>.rds have all of them.
source(file.path("bench", "papers", "common.R"))
source(file.path("bench", "papers", "grids.R"))

settings <- read_settings(list(
  PAPER = "tables,curves", DATA = NULL, METHOD = NULL, BUDGET = "40", RUNS = NULL
))
chosen <- function(given, default) if (is.null(given)) default else listed(given)

longer <- c(spca_psd = 60, bsufs = 150, bsufs_demo = 150)

compute_cell <- function(paper, name, method, given, grids) {
  file <- store_file(paper, name, paste0(method, ".rds"))
  if (file.exists(file)) return(invisible())
  plan <- plans[[paper]]
  spec <- grids[[method]]
  began <- seconds_now()
  set.seed(1)
  few <- if (nrow(given$x) <= 300) 5 else 2
  budget <- max(as.numeric(settings$BUDGET), longer[method], na.rm = TRUE)
  found <- try_settings(spec$grid, spec$rank, given$x, given$y, plan$at, few, budget)
  if (is.null(found$rows)) return(invisible(message(name, " ", method, ": no result")))
  sizes <- if (method == "all") ncol(given$x) else plan$sizes(ncol(given$x))
  runs <- if (is.null(settings$RUNS)) plan$runs else as.integer(settings$RUNS)
  curve <- paper_curve(given$x, given$y, found$best$ranking, sizes, runs)
  about <- data.frame(paper = paper, data = name, method = method)
  best <- best_setting(found$rows)
  keep(list(
    curve = cbind(about, setting = setting_text(best), tried = nrow(found$rows),
      count = found$count, seconds = best$seconds, curve
    ),
    settings = if (found$count > 1L) cbind(about, with_all_parameters(found$rows)),
    ranking = found$best$ranking
  ), file)
  message(format(Sys.time(), "%H:%M "), paste(paper, name, method), sprintf(": %d of %d, %.0f s",
    nrow(found$rows), found$count, seconds_now() - began
  ))
}

parameters <- c("lambda1", "lambda2", "p", "q", "alpha", "mu", "lambda", "eta", "gamma")
with_all_parameters <- function(rows) {
  rows[setdiff(parameters, names(rows))] <- NA
  rows[c(parameters, "acc", "nmi", "seconds")]
}

for (paper in listed(settings$PAPER)) {
  for (name in chosen(settings$DATA, plans[[paper]]$data)) {
    given <- paper_data(paper, name)
    grids <- paper_grids(paper, given$x, given$y)
    for (method in intersect(chosen(settings$METHOD, names(grids)), names(grids))) {
      compute_cell(paper, name, method, given, grids)
    }
  }
}

for (paper in listed(settings$PAPER)) {
  files <- list.files(store_file(paper), "[.]rds$", recursive = TRUE, full.names = TRUE)
  cells <- lapply(files, readRDS)
  utils::write.csv(format(rows_of(cells, `[[`, "curve"), digits = 4, trim = TRUE),
    results_file(sprintf("clusters_%s.csv", paper)), row.names = FALSE
  )
  saveRDS(rows_of(cells, `[[`, "settings"), results_file(sprintf("settings_%s.rds", paper)))
}
