# Makes vignettes/gene-expression.Rmd and its figures from gene-expression.Rmd.orig. From the
# package's root, with SingleCellExperiment, scran, Seurat and knitr installed:
#   OPENBLAS_NUM_THREADS=1 Rscript vignettes/precomputed/genes.R
old <- setwd("vignettes")
unlink(list.files(pattern = "^gene-expression-.*[.]png$"))
knitr::knit("gene-expression.Rmd.orig", "gene-expression.Rmd", envir = new.env())
setwd(old)
