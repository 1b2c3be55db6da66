# Sizes of the project beside the limits in tools/budgets.csv; exit status 1 if one is above 102% of
# its limit, or if something that is counted has no limit:
#   Rscript tools/lint-budgets.R         what is too large, and which limits can be lowered
#   Rscript tools/lint-budgets.R lower   lowers the limits to the present sizes, and raises none

lines_in <- function(files) sum(vapply(files, function(file) length(readLines(file)), 0L))

files_in <- function(folder, pattern, recursive = TRUE) {
  list.files(folder, pattern = pattern, recursive = recursive, full.names = TRUE)
}

# ---- C ---------------------------------------------------------------------------

c_files <- function(folder) files_in(folder, "[.]([ch]|def)$", recursive = FALSE)

# by folder, those of src/method by method
c_lines <- function() {
  folders <- setdiff(list.dirs("src"), "src/method")
  sizes <- vapply(folders, function(folder) lines_in(c_files(folder)), 0L)
  c(stats::setNames(sizes, paste("lines of", folders)),
    "lines of src without src/testing" = sum(sizes[folders != "src/testing"])
  )
}

without_comments <- function(file) {
  text <- paste(readLines(file), collapse = "\n")
  text <- gsub("(?s)/\\*.*?\\*/", " ", text, perl = TRUE)
  gsub("//[^\n]*|(^|\n)#[^\n]*", "\\1", text)
}

# commas outside of parentheses and brackets
commas <- function(text) {
  inner <- "\\([^()]*\\)|\\[[^][]*\\]"
  while (any(grepl(inner, text))) text <- gsub(inner, "", text)
  lengths(regmatches(text, gregexpr(",", text)))
}

# members of every struct that holds none itself
struct_members <- function(text) {
  bodies <- regmatches(text, gregexpr("struct[ \\w]*\\{[^{}]*\\}", text, perl = TRUE))[[1]]
  vapply(strsplit(sub("^[^{]*\\{", "", bodies), ";"), function(parts) {
    parts <- grep("\\w", parts, value = TRUE)
    sum(1 + commas(parts))
  }, 0)
}

# parameters of every function that has a body: what stands in parentheses before a line "{"
parameters <- function(text) {
  heads <- regmatches(text, gregexpr("(?<=\\n)[^;{}\\n#][^;{}]*\\)\\s*\\n\\{", text, perl = TRUE))
  lists <- sub("\\)\\s*\\{$", "", sub("^[^(]*\\(", "", heads[[1]]))
  1 + commas(lists)
}

c_counts <- function() {
  files <- files_in("src", "[.][ch]$")
  texts <- lapply(files, without_comments)
  raw <- unlist(lapply(files, readLines))
  constant <- "^#define \\w+\\s+[-(]?[0-9.]|^static const \\w+ \\w+ = [-0-9.]"
  c("named constants in C" = sum(grepl(constant, raw)),
    "structs of 20 members and more" = sum(unlist(lapply(texts, struct_members)) >= 20),
    "functions of 9 parameters and more" = sum(unlist(lapply(texts, parameters)) >= 9),
    "headers" = length(files_in("src", "[.]h$"))
  )
}

# ---- everything else -------------------------------------------------------------

# lines of every function that R/ defines by name
function_lines <- function(file) {
  code <- parse(file, keep.source = TRUE)
  is_function <- vapply(code, function(part) {
    is.call(part) && length(part) == 3 && is.call(part[[3]]) &&
      identical(part[[3]][[1]], quote(`function`))
  }, NA)
  vapply(attr(code, "srcref")[is_function], function(place) place[3] - place[1] + 1L, 0L)
}

other_counts <- function() {
  scripts <- c(R = "R", tests = "tests", bench = "bench", tools = "tools")
  sizes <- vapply(scripts, function(folder) lines_in(files_in(folder, "[.](R|sh)$")), 0L)
  lengths <- unlist(lapply(files_in("R", "[.]R$"), function_lines))
  c(stats::setNames(sizes, sprintf("lines of %s", scripts)),
    "functions in R of more than 50 lines" = sum(lengths > 50),
    exports = sum(startsWith(readLines("NAMESPACE"), "export(")),
    "lines of README.md" = lines_in("README.md"),
    "lines of CONTRIBUTING.md" = lines_in("CONTRIBUTING.md")
  )
}

counts <- c(c_lines(), c_counts(), other_counts())
limits <- utils::read.csv(file.path("tools", "budgets.csv"))
limits$size <- counts[limits$what]
gone <- is.na(limits$size) & !limits$what %in% names(counts)
limits <- limits[!gone, ]

if (identical(commandArgs(TRUE), "lower")) {
  limits$limit <- pmin(limits$limit, limits$size)
  utils::write.csv(limits[c("what", "limit")], file.path("tools", "budgets.csv"), row.names = FALSE,
    quote = FALSE
  )
  quit()
}

above <- limits[limits$size > 1.02 * limits$limit, ]
below <- limits[limits$size < limits$limit, ]
unlimited <- setdiff(names(counts), limits$what)
cat(sprintf("%s: %d, above 102%% of the %d in tools/budgets.csv\n", above$what, above$size,
  above$limit), sep = "")
cat(sprintf("%s: tools/budgets.csv has no limit\n", unlimited), sep = "")
if (nrow(below) > 0) {
  cat(sprintf("%d sizes are below their limits: Rscript tools/lint-budgets.R lower\n", nrow(below)))
}
quit(status = as.integer(nrow(above) + length(unlimited) > 0))
