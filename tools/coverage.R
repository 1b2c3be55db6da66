# Share of the lines of R and of C that the tests run, file by file, and those
# that no test reaches (coverage/unreached.txt).

Sys.setenv(ROWSPARSE_TESTING = "1")
coverage <- covr::package_coverage(type = "tests", quiet = TRUE)

# Several expressions may share a line: a line counts as reached if one ran.
lines <- covr::tally_coverage(coverage, by = "line")
lines$language <- ifelse(startsWith(lines$filename, "src/"), "C", "R")

percent <- function(values) {
  100 * mean(values > 0)
}

by_file <- sort(tapply(lines$value, lines$filename, percent))
cat(sprintf("%6.1f%%  %s\n", by_file, names(by_file)), sep = "")

dir.create("coverage", showWarnings = FALSE)
unreached <- lines[lines$value == 0, ]
writeLines(sprintf("%s:%d", unreached$filename, unreached$line), "coverage/unreached.txt")

by_language <- tapply(lines$value, lines$language, percent)
cat(sprintf("%s %.1f%%\n", names(by_language), by_language), sep = "")
