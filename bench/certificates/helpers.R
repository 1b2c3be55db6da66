# The claims that the helpers of the tests examine, in plain R, with data of their own; see
# tests/testthat/helper-certificates_*.R.

plain_claim <- function(text, check) list(text = text, check = check)

# by name: what is claimed, and function(number of problems), which counts what it finds
plain_claims <- list(
  spca_psd = plain_claim(
    "`spca_psd()`: no bound is above an objective that a general optimiser reaches", spca_campaign
  ),
  rfs = plain_claim(
    "`rfs()`: the same, and the gap is below the tolerance where the fit converged", rfs_campaign
  ),
  bsufs = plain_claim("`bsufs()`: kkt is the residual defined", certify_bsufs),
  dscofs = plain_claim("`dscofs()`: k features, and kkt is the residual defined", certify_dscofs),
  spcafs = plain_claim(
    "`spcafs()`: an orthonormal basis, and kkt is the residual defined", certify_spcafs
  ),
  fspca = plain_claim("`fspca()`: no set is better than one with a gap of 0", certify_fspca),
  kmeans_ufs = plain_claim("`kmeans_ufs()`, exact: no set is better", certify_kmeans),
  groups = plain_claim(
    paste(
      "Sets of groups by `cdlsr()`, `css()` and `fspca()`: no set is better than one called",
      "proved, none exceeds the bound, exchanges are at or above forward selection"
    ), function(n) check_group_claims(2 * n)
  ),
  prox = plain_claim(
    "`prox_lq()`, `prox_l2p()`: no value is better, on the whole range of doubles", certify_prox
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

# the counts of a claim, all its problems drawn from one seed
run_plain <- function(name, problems, seed) {
  set.seed(seed)
  time <- system.time(gcFirst = FALSE, counts <- plain_claims[[name]]$check(problems))
  counts$none <- without_proof(counts)
  cat(sprintf("%-16s in plain R %21d tried %4d wrong %6.1f s\n", name,
    as.integer(sum(counts$tried)), as.integer(sum(counts$wrong)), sum(time[1:2])
  ))
  counts[c("family", "tried", "wrong", "none")]
}

plain_lines <- function(name, counts) {
  names(counts)[1] <- "name"
  c("", paste("###", plain_claims[[name]]$text), table_lines(counts, "family"))
}
