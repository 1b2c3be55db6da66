# `$` that takes the beginning of a name for the name warns, and tools/test.R counts a
# warning that no test expects as a failure
options(warnPartialMatchDollar = TRUE)

# every test of a warning hears it, whatever ran before
options(rowsparse.warn_constant = "always")
