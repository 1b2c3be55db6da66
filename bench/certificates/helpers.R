# The claims that the helpers of the tests examine, in plain R, with data of their own; see
# tests/testthat/helper-certificates_*.R.

plain_claims <- list(
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
  groups = list(
    text = paste(
      "Sets of groups by `cdlsr()`, `css()` and `fspca()`: no set is better than one called",
      "proved, none exceeds the bound, exchanges are at or above forward selection"
    ),
    check = function(n) check_group_claims(2 * n)
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
