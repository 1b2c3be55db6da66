# What the methods claim about their results (proofs, bounds, gaps, residuals), held against
# oracles that share no code with the package, on data that are hard on rounding, ties and
# rank: bench/certificates/. Sets are enumerated in numbers of 113 bits (oracle.c, which needs
# a compiler with __float128 and libquadmath).
#
#   make bench METHOD=certificates
#   CLAIM=cdlsr FAMILY=hilbert PROBLEMS=20 JOBS=2 Rscript bench/certificates.R
#
# PROBLEMS: of each family (some claims take a share of it, or more); SEED; JOBS: processes;
# CLAIM, FAMILY: patterns. Problems with wrong claims are kept in build/certificates/. Writes
# bench/results/certificates.md if all claims were looked at.
source(file.path("bench", "common.R"))
for (helper in c("kernels", "oracles", paste0("certificates_", c("convex", "pca")))) {
  source(file.path("tests", "testthat", sprintf("helper-%s.R", helper)))
}
parts <- c(
  "oracle", "run", "designs", "regression", "components", "roles", "convex", "others"
)
for (part in parts) source(file.path("bench", "certificates", paste0(part, ".R")))
invisible(compile_oracle())

number_from <- function(name, default) as.integer(Sys.getenv(name, default))
seed <- number_from("SEED", "20")
problems <- number_from("PROBLEMS", "124")
jobs <- number_from("JOBS", "1")
claims <- c(
  regression_claims, component_claims, role_claims, convex_claims, other_claims
)

chosen <- claims[grep(Sys.getenv("CLAIM"), names(claims))]
chosen <- lapply(chosen, function(claim) {
  claim$families <- grep(Sys.getenv("FAMILY"), claim$families, value = TRUE)
  claim
})
kept <- file.path("build", "certificates")
unlink(kept, recursive = TRUE)
rows <- run_claims(chosen, problems, seed, jobs, kept)
lines <- unlist(lapply(names(chosen), function(name) {
  claim_lines(rows[rows$claim == name, , drop = FALSE], chosen[[name]])
}))
wrong <- sum(nzchar(rows$wrong))
total <- sprintf("%d problems, %d wrong claims.", nrow(rows), wrong)
cat(lines, "", total, sep = "\n")
if (length(chosen) == length(claims) && !nzchar(Sys.getenv("FAMILY"))) {
  head <- c("# Claims against independent oracles", "",
    sprintf("`make bench METHOD=certificates`; seed %d, %d problems of each family.",
      seed, problems
    ),
    "'No proof given' counts results that say so, and calls that are refused.", "", total
  )
  writeLines(c(head, lines), file.path("bench", "results", "certificates.md"))
}
quit(status = as.integer(wrong > 0))
