# Makes vignettes/articles/tidymodels-mlr3.Rmd from tidymodels-mlr3.Rmd.orig. From the package's
# root, with recipes, tune, workflows, parsnip, rsample, modeldata, mlr3filters, mlr3learners,
# mlr3pipelines and knitr installed, as `make test-ecosystem` leaves them in build/ecosystem:
#   OPENBLAS_NUM_THREADS=1 Rscript vignettes/precomputed/tidymodels-mlr3.R
old <- setwd(file.path("vignettes", "articles"))
knitr::knit("tidymodels-mlr3.Rmd.orig", "tidymodels-mlr3.Rmd", envir = new.env())
setwd(old)
