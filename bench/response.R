# How well a response is served: the default for numbers beside other methods, on regressions with
# real data and on simulated ones with known features; the classifier beside least squares on
# indicators; and the default for classes beside other methods.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/response.R [PART ...]
# with the parts real, small, simulated, rules, told, limits, classes, choice (all by default);
# DRAWS=10 of each simulated regime, SETS=pac,GLIOMA some data sets only.
# Writes bench/results/response.md from what build/response holds; sections of which it holds
# nothing stay as they are there. 10 minutes of one core.
source(file.path("bench", "common.R"))
source_folder("response")

settings <- read_settings(list(DRAWS = "10", SETS = NULL, STORE = file.path("build", "response")))
draws <- as.integer(settings$DRAWS)
asked_sets <- function(names) {
  if (is.null(settings$SETS)) names else intersect(names, listed(settings$SETS))
}
parts <- grep("=", commandArgs(TRUE), value = TRUE, invert = TRUE)
if (length(parts) == 0) parts <- names(response_parts)
file_of <- function(part) file.path(settings$STORE, paste0(part, ".rds"))
for (part in parts) keep(response_parts[[part]]$run(), file_of(part))
write_response(file.path("bench", "results", "response.md"))
