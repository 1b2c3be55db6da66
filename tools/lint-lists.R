# `$` takes the beginning of a name for the name: where a list has no element `i`, list$i
# is its element `identifiers`. Lists of open shape, which have some elements in some cases
# only, are therefore read with [["i"]] wherever `$` could meet another element: exit
# status 1 where one is not. Such lists are known by the names of the variables that hold
# them. Their elements are all that are read from them, set in them or listed with them
# anywhere in R/, and those that the C code puts into results.

# variables that hold a list of one kind
open_lists <- list(
  data = c(
    "data", "raw", "samples", "operator", "whole", "chosen", "prepared", "checked", "everything"
  ),
  fit = c("fit", "object", "own"),
  response = c("response", "moments"),
  moments = c("e1", "e2", "summary", "merged")
)

# elements that all of a kind have
always <- list(
  data = c("kind", "n", "d"), fit = c("d", "n", "objective", "bound"), response = c("Y", "y"),
  moments = "n"
)

# what the user gave to a method: any name may be there, and none must
given_lists <- "given"

# ---- what the code reads --------------------------------------------------------------

# "raw" of raw$i, "data" of problem$data$i
holder <- function(expression) {
  if (is.name(expression)) {
    as.character(expression)
  } else if (is.call(expression) && identical(expression[[1]], as.name("$"))) {
    as.character(expression[[3]])
  } else {
    ""
  }
}

is_dollar <- function(expression) {
  is.call(expression) && identical(expression[[1]], as.name("$"))
}

is_assignment <- function(expression) {
  is.call(expression) && as.character(expression[[1]])[1] %in% c("<-", "<<-", "=")
}

# of one expression: rows of holder, name, whether it is read by `$`
uses_of <- function(expression) {
  if (missing(expression) || !(is.call(expression) || is.pairlist(expression))) {
    return(NULL)
  }
  parts <- as.list(expression)
  own <- NULL
  if (is_dollar(expression)) {
    own <- c(holder(expression[[2]]), as.character(expression[[3]]), "read")
  } else if (is_element(expression)) {
    own <- c(holder(expression[[2]]), expression[[3]], "exact")
  } else if (is_assignment(expression) && is_dollar(expression[[2]])) {
    target <- expression[[2]]
    own <- c(holder(target[[2]]), as.character(target[[3]]), "exact")
    parts <- list(target[[2]], expression[[3]])
  }
  c(if (!is.null(own)) list(own), unlist(lapply(parts, uses_of), recursive = FALSE))
}

is_element <- function(expression) {
  is.call(expression) && identical(expression[[1]], as.name("[[")) && length(expression) == 3L &&
    is.character(expression[[3]])
}

# names of arguments in calls that make a fit
listed_names <- function(expression, makers) {
  if (missing(expression) || !is.call(expression)) {
    return(NULL)
  }
  maker <- as.character(expression[[1]])[1]
  c(if (maker %in% makers) names(expression),
    unlist(lapply(as.list(expression), listed_names, makers = makers))
  )
}

c_names <- function() {
  lines <- unlist(lapply(list.files("src/glue", "[.]c$", full.names = TRUE), readLines))
  found <- regmatches(lines, regexpr("r_add[a-z_]*\\(&?out, \"[^\"]+\"", lines))
  sub("\"$", "", sub(".*\"([^\"]+)\"$", "\\1", found))
}

# ---- what stands in the way -------------------------------------------------------------

files <- list.files("R", pattern = "[.]R$", full.names = TRUE)
sources <- lapply(files, function(file) as.list(parse(file, keep.source = FALSE)))
uses <- lapply(sources, function(source) {
  as.data.frame(do.call(rbind, c(
    list(character(3)), unlist(lapply(source, uses_of), recursive = FALSE)
  )))
})
all_uses <- unique(do.call(rbind, uses))
names(all_uses) <- c("holder", "name", "how")

elements <- lapply(open_lists, function(holders) all_uses$name[all_uses$holder %in% holders])
elements$fit <- c(elements$fit, c_names(), unlist(lapply(sources, function(source) {
  lapply(source, listed_names, makers = "new_fit")
})))

# the other elements of which `name` is the beginning
met_by <- function(name, kind) {
  other <- setdiff(elements[[kind]], name)
  if (name %in% always[[kind]]) character() else other[startsWith(other, name)]
}

risks_of <- function(use) {
  if (use[3] != "read") {
    return(NULL)
  }
  if (use[1] %in% given_lists) {
    return(sprintf("%s$%s: arguments as they were given are read by [[\"%s\"]]", use[1], use[2],
      use[2]
    ))
  }
  for (kind in names(open_lists)) {
    met <- if (use[1] %in% open_lists[[kind]]) met_by(use[2], kind)
    if (length(met) > 0) {
      return(sprintf("%s$%s may be %s$%s: [[\"%s\"]] is exact", use[1], use[2], use[1], met[1],
        use[2]
      ))
    }
  }
}

found <- unlist(lapply(seq_along(files), function(f) {
  told <- unlist(apply(uses[[f]], 1, risks_of))
  if (length(told) > 0) sprintf("%s: %s", files[f], told)
}))
writeLines(as.character(found))
quit(status = as.integer(length(found) > 0))
