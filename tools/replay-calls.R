# Repeats the calls kept by tools/record-calls.R, by themselves or with a
# garbage collection at every allocation, which finds objects that the glue
# forgot to protect:
#   Rscript tools/replay-calls.R [torture]

torture <- identical(commandArgs(trailingOnly = TRUE)[1], "torture")
namespace <- loadNamespace("rowsparse")
routines <- getDLLRegisteredRoutines("rowsparse")$.Call
recorded <- readRDS("build/calls.rds")

replay <- function(entry, arguments) {
  value <- tryCatch(do.call(.Call, c(list(entry), arguments)), error = conditionMessage)
  gctorture(FALSE)
  value
}

differ <- 0
for (name in names(recorded)) {
  for (arguments in recorded[[name]]) {
    value <- replay(routines[[name]], arguments)
    if (torture) {
      gctorture(TRUE)
      differ <- differ + !identical(replay(routines[[name]], arguments), value)
    }
  }
  cat(sprintf("%s: %d calls\n", name, length(recorded[[name]])))
}
if (torture) {
  cat(sprintf("%d results differ under gctorture\n", differ))
}
quit(status = as.integer(differ > 0))
