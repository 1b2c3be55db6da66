# Families of responses, as rowsparse_glm() fits them: how each is read, its inverse link, its loss
# (the saturated log likelihood less that of the predictors), and what belongs to censored times.
# `response` is what family_problem() makes: beside the elements of as_response()
#   family      the name; Y (n x q): shares of the second class, indicators of classes, counts,
#               or 1 for events
#   weights     of the samples; trials, by which these count as well; offset; NULL where there are
#               none
#   order, last samples by falling time, and for each place the last one of the same time (cox)
# `link`: the predictors, n x q, offset included.

family_names <- c("binomial", "multinomial", "poisson", "cox")

is_family_fit <- function(fit) !is.null(fit[["response"]][["family"]])

# ---- which family ----------------------------------------------------------------------

# The name of a family, which may be given as stats::glm() takes it; NULL stays
check_family <- function(family, argument = "family") {
  if (is.function(family)) {
    family <- tryCatch(family(), error = function(e) family)
  }
  link <- NULL
  if (inherits(family, "family")) {
    link <- family[["link"]]
    family <- family[["family"]]
  }
  refuse_if(identical(family, "gaussian"), "choice", argument,
    "must be of classes, counts or censored times", quoted("gaussian"),
    "cdlsr() is least squares on exactly k features"
  )
  if (!is.null(family)) family <- check_choice(family, argument, family_names)
  canonical <- c(binomial = "logit", poisson = "log")
  refuse_if(!is.null(link) && !identical(link, unname(canonical[family])), "choice", argument,
    sprintf("must have its canonical link, \"%s\" for %s", canonical[family], family), quoted(link)
  )
  family
}

# the family of a response, which only censored times tell by themselves
family_of <- function(family, y) {
  family <- check_family(family)
  refuse_if(is.null(family) && !is_survival(y), "missing", "family",
    "must be given: \"binomial\", \"multinomial\", \"poisson\" or \"cox\"",
    way_out = "rowsparse(x, y) without it fits classes and numbers by least squares"
  )
  family <- or_default(family, "cox")
  refuse_if(is_survival(y) && family != "cox", "choice", "family",
    "must be \"cox\" for censored times", quoted(family)
  )
  family
}

# ---- how a response is read --------------------------------------------------------------

family_response <- function(y, n, family) {
  y <- usable_response(y)
  family <- family_of(family, y)
  response <- switch(family,
    binomial = if (NCOL(y) == 2L && (is.data.frame(y) || is_plain_numeric(y))) {
      trials_response(y, n)
    } else {
      likely_classes(y, n, family)
    },
    multinomial = likely_classes(y, n, family), poisson = counts_response(y, n),
    cox = {
      refuse_if(!is_survival(y), "type", "y",
        "must be survival::Surv(time, status), or a matrix with columns time and status",
        describe(y)
      )
      survival_response(y, n)
    }
  )
  if (family == "cox") response$Y <- unname(response$y[, "status", drop = FALSE])
  response$family <- family
  response
}

likely_classes <- function(y, n, family) {
  if (is_plain_numeric(y) && is.null(dim(y))) {
    check_response_length(y, n)
    check_known_labels(y, "y")
    if (family == "binomial" && all(y %in% 0:1)) y <- factor(y)
  }
  refuse_if(!is_classes(y), "type", "y", sprintf("must be classes for family \"%s\"%s", family,
    if (family == "binomial") ", 0 and 1, or two columns, successes and failures" else ""
  ), describe(y), "factor(y) makes classes of labels")
  response <- class_response(y, n)
  tell_response(y)
  count <- length(response$levels)
  response$text <- response_text("class", count)
  if (family == "binomial") {
    refuse_if(count > 2L, "type", "y", "must have two classes for family \"binomial\"", count,
      "family = \"multinomial\" takes more"
    )
    response$Y <- unname(response$Y[, 2, drop = FALSE])
    response$names <- response$levels[2]
  }
  response
}

# successes and failures: the share of the successes, weighed by the trials
trials_response <- function(y, n) {
  check_response_length(y, n)
  y <- check_finite_numbers(if (is.data.frame(y)) data_frame_matrix(y, "y") else unclass(y), "y")
  refuse_if(any(y < 0), "range", "y", "must have numbers of successes and failures of at least 0",
    format(min(y), digits = 3)
  )
  trials <- rowSums(y)
  share <- cbind(ifelse(trials > 0, y[, 1] / trials, 0))
  refuse_if(length(unique(share[trials > 0])) < 2L, "constant", "y", "must vary",
    "the same share of successes in all samples"
  )
  list(
    Y = share, y = share, trials = trials, type = "numeric", names = colnames(y)[1],
    text = sprintf("successes of %.10g trials", sum(trials))
  )
}

counts_response <- function(y, n) {
  response <- numeric_response(y, n)
  Y <- response$Y
  refuse_if(ncol(Y) > 1L, "type", "y", "must be one column of counts", describe(y))
  refuse_if(any(Y < 0), "range", "y", "must hold counts of at least 0",
    sprintf("%d below, the first at %d", sum(Y < 0), which(Y < 0)[1])
  )
  if (!is_whole(Y[, 1])) {
    say_rowsparse("response", "`y` holds numbers that are not whole: taken as rates.")
  }
  c(response[c("Y", "y", "type", "names")], text = "counts")
}

# ---- censored times ----------------------------------------------------------------------

# what usable_response() makes of them, whichever way they are given
is_survival <- function(y) is.matrix(y) && identical(colnames(y), c("time", "status"))

# A plain matrix of times and states, 1 for an event. The class Surv is that of the package survival
plain_survival <- function(y) {
  if (inherits(y, "Surv")) {
    type <- or_default(attr(y, "type"), "none")
    refuse_if(type != "right", "type", "y", "must be right-censored times", quoted(type),
      "survival::coxph() takes other kinds of censoring"
    )
    return(matrix(as.double(y), nrow(y), 2L, dimnames = list(NULL, c("time", "status"))))
  }
  if (is.data.frame(y)) y <- data_frame_matrix(y, "y")
  refuse_if(ncol(y) != 2L, "type", "y", "must have the columns time and status alone",
    toString(colnames(y))
  )
  refuse_if(!is_plain_numeric(y) && !is.logical(y), "type", "y", "must hold numbers", describe(y))
  y <- matrix(as.double(y), nrow(y), 2L, dimnames = list(NULL, tolower(colnames(y))))
  y <- y[, c("time", "status"), drop = FALSE]
  known <- sort(unique(y[, "status"]))
  refuse_if(!all(known %in% 0:1), "range", "y",
    "must have the status 1 for events and 0 for censored times", first_few(known),
    "survival::Surv(time, status) takes 1 and 2 as these"
  )
  y
}

survival_response <- function(y, n) {
  check_response_length(y, n)
  bad <- which(rowSums(!is.finite(y)) > 0)
  refuse_if(length(bad) > 0L, "nonfinite", "y", "must not hold NA or infinite values",
    sprintf("%d of them, the first at row %d", length(bad), bad[1]),
    "Leave these samples out: `keep <- !is.na(y)`, then `x[keep, ]` and `y[keep, ]`"
  )
  events <- sum(y[, "status"])
  refuse_if(events == 0, "constant", "y", "must have events", "censored times only")
  refuse_if(length(unique(y[, "time"])) < 2L, "constant", "y", "must have times that differ",
    "one time"
  )
  list(
    Y = unname(y[, "time", drop = FALSE]), y = y, type = "survival",
    text = paste0("censored times, ", count_of(events, "event"))
  )
}

refuse_survival <- function(y) {
  refuse_if(is_survival(y), "type", "y",
    "must be classes or numbers: only rowsparse_glm() takes censored times", describe(y),
    "`method = NULL`, or \"rowsparse_glm\", fits them"
  )
}

with_risk_sets <- function(response) {
  if (identical(response$family, "cox")) {
    time <- response$y[, "time"]
    response$order <- order(-time)
    size <- rle(time[response$order])$lengths
    response$last <- rep(cumsum(size), size)
  }
  response
}

# By place in falling time: the sum of u e^h over the samples at risk, where h is less its largest
risk_sums <- function(response, h, u) {
  cumsum((u * exp(pmax(h - max(h), -650)))[response$order])[response$last]
}

# Breslow's cumulative hazard of a sample whose predictor is 0, at the times of the samples
baseline_hazard <- function(response, link) {
  h <- link[, 1]
  u <- sample_sizes(response, length(h))
  at <- response$order
  jump <- (u * response$Y)[at] / risk_sums(response, h, u)
  time <- response$y[at, "time"]
  list(
    time = sort(unique(time)), hazard = cumsum(unname(rowsum(jump, time)[, 1])), shift = max(h)
  )
}

# the events of each sample less those that are expected of it
martingale_residuals <- function(response, link) {
  baseline <- baseline_hazard(response, link)
  hazard <- baseline$hazard[match(response$y[, "time"], baseline$time)]
  response$Y - hazard * exp(link - baseline$shift)
}

# samples x times
survival_shares <- function(baseline, link, times) {
  hazard <- c(0, baseline$hazard)[1L + findInterval(times, baseline$time)]
  out <- exp(-outer(exp(link[, 1] - baseline$shift), hazard))
  dimnames(out) <- list(rownames(link), format_each(times, 6))
  out
}

# ---- what predictors say -------------------------------------------------------------------

inverse_link <- function(family, link) {
  switch(family, binomial = stats::plogis(link), multinomial = softmax(link), exp(link))
}

# predictors as type = "link", "response", "class" or "prob" has them
family_answer <- function(response, link, type) {
  if (type == "class") {
    if (response$family == "binomial") link <- cbind(0, link)
    return(largest_class(link, response$levels))
  }
  if (type == "link") {
    return(link)
  }
  out <- inverse_link(response$family, link)
  if (type == "prob" && response$family == "binomial") out <- cbind(1 - out, out)
  if (type == "prob") colnames(out) <- response$levels
  out
}

# x log x
entropy <- function(x) ifelse(x > 0, x * log(x), 0)

# The loss by samples; for cox, whose risk sets join them, its sum
family_losses <- function(response, link) {
  y <- response$Y
  u <- sample_sizes(response, nrow(y))
  h <- link[, 1]
  switch(response$family,
    binomial = {
      own <- pmax(h, 0) + log1p(exp(-abs(h))) - y[, 1] * h
      u * (own + entropy(y[, 1]) + entropy(1 - y[, 1]))
    },
    multinomial = u * (row_max(link) + log(rowSums(exp(link - row_max(link)))) - rowSums(y * link)),
    poisson = u * (exp(h) - y[, 1] * h + entropy(y[, 1]) - y[, 1]),
    cox = {
      at <- response$order
      own <- (u * y)[at] * (log(risk_sums(response, h, u)) + max(h) - h[at])
      sum(own) - sum(entropy(tied_events(response, u)))
    }
  )
}

# weights of the events at each time
tied_events <- function(response, u) rowsum(u * response$Y[, 1], response$y[, "time"])[, 1]

# the log likelihood where the loss is 0
saturated_likelihood <- function(response) {
  y <- response$Y[, 1]
  u <- sample_sizes(response, length(y))
  trials <- or_default(response$trials, 1)
  switch(response$family,
    binomial = sum(u * (entropy(y) + entropy(1 - y))) +
      sum(or_default(response$weights, 1) * lchoose(trials, round(trials * y))),
    multinomial = 0, poisson = sum(u * (entropy(y) - y - lgamma(y + 1))),
    cox = -sum(entropy(tied_events(response, u)))
  )
}

# with the Y by which samples are dealt out to folds, events and censored times by themselves
with_order <- function(response) {
  response$Y <- switch(response$type,
    class = label_matrix(response$class, length(response$levels)),
    survival = cbind(share_of_range(response$y[, "time"]) + 2 * response$y[, "status"]), response$Y
  )
  response
}

# the response of some of the samples
part_of_response <- function(response, rows) {
  by_sample <- intersect(c("Y", "y", "weights", "offset", "trials"), names(response))
  response[by_sample] <- lapply(response[by_sample], rows_of, rows)
  with_risk_sets(response)
}

# the loss of counts, or of shares, where such means are predicted: by sample, for weights 1
mean_losses <- function(family, y, mean) {
  mean <- pmax(as.matrix(mean), least_probability)
  if (family == "poisson") {
    return(mean - y * log(mean) + entropy(y) - y)
  }
  mean <- pmin(mean, 1 - least_probability)
  entropy(y) + entropy(1 - y) - y * log(mean) - (1 - y) * log1p(-mean)
}
