# Tables of the vignette "Choosing a method", from comparison.csv as bench/comparison.R writes it.
# From the package's root:
#   Rscript vignettes/precomputed/comparison.R
# writes vignettes/precomputed/comparison.rds.

library(rowsparse)
source(file.path("bench", "lib", "friedman.R"))

rows <- utils::read.csv(file.path("bench", "results", "comparison.csv"))

known <- rowsparse_methods()
labelled <- known$method[known$supervised]
neural <- startsWith(rows$method, "neural_")
blind <- rows[!rows$method %in% labelled & !neural, ]
# those with a result on at least half of the data sets
with_result <- unique(blind[!is.na(blind$acc_mean), c("data", "method")])
share <- table(with_result$method) / length(unique(rows$data))
blind <- blind[blind$method %in% names(share)[share >= 0.5], ]

# on the data sets where every method has a result
failed <- unique(blind$data[is.na(blind$acc_mean)])
told <- summarise_methods(blind)$methods
told$family <- known$family[match(told$method, known$method)]
told$family[told$method == "random"] <- ""
columns <- c("method", "family", "acc_mean", "nmi_mean", "acc_rank", "nmi_rank", "above_random",
  "elapsed", "failed"
)
by_labels <- summarise_methods(rows[rows$method %in% c(labelled, "random"), ])$methods

# the networks, beside a few methods on the data sets that they ran on
ran <- unique(rows$data[neural])
beside <- rows[rows$data %in% ran & (neural | rows$method %in% c("alignment", "css", "fspca",
  "random")), ]
networks <- aggregate(cbind(acc_mean, nmi_mean) ~ method + data, beside, mean)

saveRDS(
  list(
    data = unique(rows$data), k = sort(unique(rows$k)), failed = failed,
    blind = told[columns],
    labels = by_labels[setdiff(columns, "family")],
    networks = networks, ranks = friedman_nemenyi(blind)
  ),
  file.path("vignettes", "precomputed", "comparison.rds")
)
