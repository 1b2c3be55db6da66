# What the worker and a replay share: the package, the objects and the helpers.
# Expects `arguments`: seed, ..., with the file of objects as the fourth.

suppressMessages(library(rowsparse))
for (file in c("values.R", "arguments.R", "sources.R", "calls.R", "verdict.R")) {
  source(file.path("tools", "fuzz", file))
}

seed <- as.integer(arguments[1])
world <- readRDS(arguments[4])
known <- restrict(c(targets(), world), Sys.getenv("ONLY"))

# requests for more than this are refused by the package's own rule; the limit of
# the process lies a little above
options(rowsparse.memory = 1.5e9, warn = 1)

object <- function(name) known$objects[[name]]
example_argument <- function(at, name) known$templates[[at]]$arguments[[name]]
helpers <- globalenv()
