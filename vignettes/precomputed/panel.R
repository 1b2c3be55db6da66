# Makes vignettes/imaging-panel.Rmd and its figures from imaging-panel.Rmd.orig. From the
# package's root, with SingleCellExperiment, SeuratObject, scuttle, scran and knitr installed:
#   OPENBLAS_NUM_THREADS=1 Rscript vignettes/precomputed/panel.R
old <- setwd("vignettes")
unlink(list.files(pattern = "^imaging-panel-.*[.]png$"))
knitr::knit("imaging-panel.Rmd.orig", "imaging-panel.Rmd", envir = new.env())
setwd(old)
