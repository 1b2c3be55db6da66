# Selects from a table that has factors and gaps, and draws how well columns of each choice predict
# rows that took no part in it:
#   Rscript tools/demo.R <figure.png>

library(rowsparse)

# 418 patients with a disease of the liver: age, sex, and 14 measurements, some of them factors,
# with gaps in 142 rows (the package survival, which comes with R)
liver <- survival::pbc[, -(1:3)]
liver[c("trt", "stage")] <- lapply(liver[c("trt", "stage")], factor)
sizes <- 1:8

# Relative squared errors on the rows left out of the selection, by number of columns: of the
# default, of the columns of largest variance, and of random ones
errors_of_split <- function(seed) {
  set.seed(seed)
  known <- sample(nrow(liver), 280)
  new <- stats::na.omit(liver[-known, ])
  columns <- setdiff(names(liver), "bili")
  error_of <- function(columns) {
    model <- rowsparse(log(bili) ~ ., data = liver[known, c(columns, "bili")], k = length(columns),
      method = "cdlsr"
    )
    errors <- log(new$bili) - cbind(predict(model, new), mean(log(liver$bili[known])))
    colSums(errors^2)[[1]] / colSums(errors^2)[[2]]
  }
  chosen <- function(k, ...) {
    selected(rowsparse(log(bili) ~ ., data = liver[known, ], k = k, ...))
  }
  vapply(sizes, function(k) {
    c(
      default = error_of(chosen(k)), variance = error_of(chosen(k, method = "variance")),
      random = mean(replicate(5, error_of(sample(columns, k))))
    )
  }, numeric(3))
}

draw <- function(file, errors) {
  grDevices::png(file, width = 1100, height = 640, res = 150, type = "cairo")
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(4, 4, 2.5, 9), las = 1, bty = "l")
  colours <- c("#0072B2", "#D55E00", "grey50")
  graphics::matplot(sizes, t(errors),
    type = "b", pch = 19, lty = 1, lwd = 2, col = colours, ylim = c(0, 1),
    xlab = "columns selected, of 16", ylab = "error on new rows (mean: 1)",
    main = "Bilirubin of patients, from few columns"
  )
  labels <- c("rowsparse()", "largest variance", "random columns")
  graphics::mtext(labels, side = 4, at = errors[, length(sizes)] + c(-0.03, 0.02, 0), line = 0.5,
    col = colours
  )
}

figure <- commandArgs(trailingOnly = TRUE)[1]
fit <- rowsparse(log(bili) ~ ., data = liver, k = 4)
print(fit)
splits <- lapply(1:20, function(seed) suppressWarnings(suppressMessages(errors_of_split(seed))))
errors <- Reduce(`+`, splits) / length(splits)
dimnames(errors) <- list(rownames(errors), sizes)
cat("\nError on rows left out, by number of columns, mean of 20 splits (the mean has 1):\n")
print(round(errors, 2))
draw(figure, errors)
cat("\nFigure: ", figure, "\n", sep = "")
