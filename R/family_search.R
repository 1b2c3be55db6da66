# The search of sets by the likelihood of a family: see src/sets/value_family.h

# features beyond which sets are exchanged and perturbed among those alone that come nearest
family_near <- 1000L

# What find_units() has of sets of k units. Of thousands of features nearly all never come near:
# those that add most to nothing, or to the set of forward selection, are searched, and the set that
# is found there is exchanged with all. `settings`: see find_settings()
find_family <- function(data, response, groups, settings) {
  if (!is.null(groups) || data$d <= 2L * family_near || !settings$exchange || !settings$forward) {
    return(find_units(data, response, groups, settings))
  }
  grown <- find_units(data, response, NULL,
    utils::modifyList(settings, list(exchange = FALSE, sizes = FALSE))
  )
  near <- c(grown$set, data$locked, settings$starts, nearest(grown$gains), nearest(grown$alone))
  near <- sort(unique(near))
  part <- keep_features(data, near)
  if (!is.null(data$locked)) part$locked <- match(data$locked, near)
  own <- settings
  own["sign"] <- list(settings$sign[near])
  own$starts[] <- match(settings$starts, near)
  found <- in_columns(find_units(part, response, NULL, own), near)
  # a set that exchanges with all features change is put in order as one that is given
  from_set <- function(set, exchange) {
    find_units(data, response, NULL, utils::modifyList(settings, list(
      forward = FALSE, sizes = FALSE, starts = matrix(set), perturb = 0L, exchange = exchange
    )))
  }
  last <- from_set(found$set, TRUE)
  found[c("gains", "alone")] <- last[c("gains", "alone")]
  if (setequal(last$set, found$set)) found else with_last(found, from_set(last$set, FALSE))
}

# half of `family_near` of the largest
nearest <- function(values) utils::head(order(values, decreasing = TRUE), family_near %/% 2L)

# what was found among some columns, in the numbers of all
in_columns <- function(found, columns) {
  found$set <- columns[found$set]
  found$sets <- lapply(found$sets, function(set) columns[set])
  found$end_sets[] <- columns[found$end_sets]
  found$by_family <- lapply(found$by_family, function(fit) {
    fit[c("selected", "members")] <- list(columns[fit$selected], columns[fit$members])
    fit
  })
  found
}

# what was found of all sizes, with another set of the last one
with_last <- function(found, last) {
  found[c("set", "explained")] <- last[c("set", "explained")]
  size <- length(found$sets)
  if (size > 0L) found$sets[[size]] <- last$set
  found$by_family[length(found$by_family)] <- last$by_family
  found$end_values[found$best] <- found$course[length(found$course)] <- last$end_values
  found$end_sets[found$best, ] <- last$set
  found
}
