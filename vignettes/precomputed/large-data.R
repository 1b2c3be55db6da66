# Makes vignettes/articles/large-data.Rmd from large-data.Rmd.orig. From the package's root, with
# HDF5Array, BiocParallel, RSQLite, nanoparquet and knitr installed:
#   OPENBLAS_NUM_THREADS=1 Rscript vignettes/precomputed/large-data.R
old <- setwd(file.path("vignettes", "articles"))
knitr::knit("large-data.Rmd.orig", "large-data.Rmd", envir = new.env())
setwd(old)
