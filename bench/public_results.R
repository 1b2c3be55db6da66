# What the package answers, and how long it takes, by questions that outlive changes of the
# interface. Each question is a function that gives plain numbers and names under a key, such as
# "predict cdlsr classes". A later version of bench/answers/questions.R may ask in another way,
# by other calls, but the key and the form of the answer stay, so that records made by different
# versions of script and package can be compared.
#
#   OPENBLAS_NUM_THREADS=1 Rscript bench/public_results.R record <file> [library]
#   Rscript bench/public_results.R compare <file> <file>
#   OPENBLAS_NUM_THREADS=1 Rscript bench/public_results.R pairs <libraryA> <libraryB>
#
# Without arguments it records build/answers.rds.
# `library` is where a version of the package is installed. QUESTIONS, a regular expression, keeps
# to some keys; QUESTIONS=^large names those that `pairs` alone asks. `compare` and `pairs` end with
# status 1 if something is worse, other, gone or slower, unless bench/answers/named.csv gives the
# reason: `what` is answer or seconds, `keys` a regular expression.
source(file.path("bench", "answers", "compare.R"))
source(file.path("bench", "answers", "pairs.R"))

# the version under test, before the questions that ask it
load_version <- function(library = NULL) {
  Sys.setlocale("LC_COLLATE", "C") # names in the same order everywhere
  library(rowsparse, lib.loc = library)
  source(file.path("bench", "answers", "data.R"))
  source(file.path("bench", "answers", "questions.R"))
}

record <- function(file, library = NULL) {
  load_version(library)
  questions <- all_questions()
  answers <- list()
  for (key in names(questions)) answers[[key]] <- answer_to(questions[[key]])
  about <- sprintf("%s, BLAS %s, rowsparse %s, file %s", R.version.string,
    basename(normalizePath(La_library())), utils::packageVersion("rowsparse"), basename(file)
  )
  saveRDS(list(answers = answers, about = about), file)
  said <- function(what) vapply(answers, function(one) c(one$answer[[what]], "")[1], "")
  why <- table(Filter(nzchar, said("left_out")))
  cat(sprintf("%d questions, %d refused, %.0f seconds\n", length(answers),
    sum(nzchar(said("refused"))), sum(vapply(answers, `[[`, 0, "seconds"))
  ))
  cat(sprintf("left out: %d, as %s\n", why, names(why)), sep = "")
  TRUE
}

arguments <- commandArgs(TRUE)
if (length(arguments) == 0) arguments <- c("record", file.path("build", "answers.rds"))
verb <- match.arg(arguments[1], c("record", "compare", "pairs", "time_keys"))
quit(status = as.integer(!do.call(verb, as.list(arguments[-1]))))
