# What the methods claim about their results (proofs, bounds, gaps, residuals),
# held against oracles in plain R on data that are hard on rounding. Takes about
# twenty minutes on one core; CLAIM=cdlsr runs some of the claims, and TRIALS
# changes the number of problems of each family. Writes bench/results/certificates.md
# when all claims were looked at.
source(file.path("bench", "common.R"))
suppressMessages(library(testthat)) # the helpers are those of the tests
helpers <- c("cdlsr", "convex", "pca", "fspca")
for (helper in c("oracles", paste0("certificates_", helpers))) {
  source(file.path("tests", "testthat", sprintf("helper-%s.R", helper)))
}

seed <- 20
trials <- as.integer(Sys.getenv("TRIALS", "300"))
claims <- list(
  cdlsr_exact = list(
    text = "`cdlsr()`, exact: a set called proved is optimal, no bound is above the optimum",
    check = function(n) check_cdlsr_certificates(n, solvers = "exact")
  ),
  cdlsr_unfinished = list(
    text = paste(
      "`cdlsr()`, exact, with next to no time, three to five features: the same ('no proof given':",
      "the gap is 1)"
    ),
    check = function(n) check_cdlsr_unfinished(n)
  ),
  cdlsr_exchange = list(
    text = "`cdlsr()`, exchange: no swap of one feature lowers the objective",
    check = function(n) check_cdlsr_certificates(n, solvers = "exchange")
  ),
  spca_psd = list(
    text = "`spca_psd()`: no bound is above an objective that a general optimiser reaches",
    check = function(n) spca_campaign(n)
  ),
  spca_leading = list(
    text = "`spca_psd()` with bounds from the leading eigenpairs: the same",
    # larger problems, some seconds of the general optimiser each
    check = function(n) spca_leading_campaign(ceiling(n / 5))
  ),
  rfs = list(
    text = "`rfs()`: the same, and the gap is below the tolerance where the fit converged",
    check = function(n) rfs_campaign(n)
  ),
  rfs_split = list(
    text = "`rfs()` with the splitting of large data: the same",
    check = function(n) rfs_split_campaign(n)
  ),
  bsufs = list(
    text = "`bsufs()`: kkt is the residual defined", check = function(n) certify_bsufs(n)
  ),
  dscofs = list(
    text = "`dscofs()`: k features, and kkt is the residual defined",
    check = function(n) certify_dscofs(n)
  ),
  spcafs = list(
    text = "`spcafs()`: an orthonormal basis, and kkt is the residual defined",
    check = function(n) certify_spcafs(n)
  ),
  fspca = list(
    text = "`fspca()`: no set is better than one with a gap of 0",
    check = function(n) certify_fspca(n)
  ),
  fspca_bound = list(
    text = paste(
      "`fspca_bound()`: no bound is below the best of all sets, no feature that is in one is",
      "eliminated, no set called optimal is beaten"
    ),
    check = function(n) certify_fspca_bound(n)
  ),
  kmeans_ufs = list(
    text = "`kmeans_ufs()`, exact: no set is better", check = function(n) certify_kmeans(n)
  ),
  prox = list(
    text = "`prox_lq()`, `prox_l2p()`: no value is better, on the whole range of doubles",
    check = function(n) certify_prox(n)
  )
)

# results that say that there is no proof, where the check counts them
without_proof <- function(counts) {
  if (!is.null(counts$none)) {
    counts$none
  } else if (!is.null(counts$proved)) {
    counts$tried - counts$proved
  } else {
    rep(NA, nrow(counts))
  }
}

as_markdown <- function(claim, counts) {
  none <- without_proof(counts)
  c("", claim$text, "", "| family | tried | wrong | no proof given |", "|---|---:|---:|---:|",
    sprintf("| %s | %d | %d | %s |", counts$family, as.integer(counts$tried),
      as.integer(counts$wrong), ifelse(is.na(none), "", none)
    )
  )
}

chosen <- grep(Sys.getenv("CLAIM"), names(claims), value = TRUE)
lines <- c(
  "# Claims against independent oracles", "",
  sprintf("`make bench METHOD=certificates`; seed %d, %d problems of each family.", seed, trials)
)
totals <- numeric(2)
for (name in chosen) {
  set.seed(seed)
  counts <- claims[[name]]$check(trials)
  totals <- totals + c(sum(counts$tried), sum(counts$wrong))
  section <- as_markdown(claims[[name]], counts)
  cat(section, sep = "\n")
  lines <- c(lines, section)
}
total <- sprintf("%d problems, %d wrong claims.", as.integer(totals[1]), as.integer(totals[2]))
cat("", total, sep = "\n")
if (length(chosen) == length(claims)) {
  writeLines(append(lines, c("", total), 3), file.path("bench", "results", "certificates.md"))
}
quit(status = as.integer(totals[2] > 0))
