# markers of pancreatic types from the literature, and genes that the panel must hold
known <- list(
  acinar = c(
    "PRSS1", "CPA1", "CPA2", "CELA3A", "CELA3B", "CELA2A", "REG1A", "REG1B", "CTRB1", "CTRB2",
    "CTRC", "PNLIP", "CPB1", "KLK1"
  ),
  ductal = c(
    "KRT19", "KRT7", "SPP1", "CFTR", "TACSTD2", "MMP7", "ANXA3", "ANXA4", "CLDN4", "SERPINA3",
    "DEFB1"
  ),
  alpha = c("GCG", "ARX", "IRX2", "TTR", "LOXL4", "CRYBA2", "PLCE1"),
  beta = c("INS", "IAPP", "MAFA", "DLK1", "ADCYAP1", "ERO1B", "SLC2A2"),
  delta = c("SST", "LEPR", "HHEX", "RBP4", "PRG4", "BCHE"),
  endothelial = c(
    "PLVAP", "ESAM", "PECAM1", "VWF", "FLT1", "KDR", "CD93", "CLDN5", "ENG", "CDH5", "EMCN", "ROBO4"
  )
)
locked <- c("KRT19", "PLVAP", "RBP4")
