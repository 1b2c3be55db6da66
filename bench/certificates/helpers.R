# The claims that only the helpers of the tests examine, in plain R, with data of their own; see
# tests/testthat/helper-certificates_*.R. By name: what is claimed, and function(number of
# problems), which counts what it finds.
plain_claims <- list(
  groups = list(
    text = paste(
      "Sets of groups by `cdlsr()`, `css()` and `fspca()`: no set is better than one called",
      "proved, none exceeds the bound, exchanges are at or above forward selection"
    ),
    check = function(n) transform(check_group_claims(2 * n), none = tried - proved)
  ),
  prox = list(
    text = "`prox_lq()`, `prox_l2p()`: no value is better, on the whole range of doubles",
    check = function(n) cbind(certify_prox(n), none = 0L)
  )
)

# the counts of a claim, all its problems drawn from one seed
run_plain <- function(name, problems, seed) {
  set.seed(seed)
  counts <- plain_claims[[name]]$check(problems)
  cat(sprintf("%-16s in plain R %21d tried %4d wrong\n", name, as.integer(sum(counts$tried)),
    as.integer(sum(counts$wrong))
  ))
  counts[c("family", "tried", "wrong", "none")]
}

plain_lines <- function(name, counts) {
  names(counts)[1] <- "name"
  c("", paste("###", plain_claims[[name]]$text), table_lines(counts, "family"))
}
