# Local suppression by sdcMicro on rows.csv of the working folder: cells are suppressed until each row has k alike.
# Arguments: k, and the columns. A file COLUMN.csv has a cell's recoded value in its second field.
suppressPackageStartupMessages(library(sdcMicro))
arguments <- commandArgs(trailingOnly = TRUE)
k <- as.integer(arguments[1])
columns <- strsplit(arguments[2], ",", fixed = TRUE)[[1]]
rows <- read.csv("rows.csv", colClasses = "character", check.names = FALSE, na.strings = character())[columns]
for (column in columns) {
  recoding <- read.csv(paste0(column, ".csv"), header = FALSE, sep = ";", colClasses = "character", na.strings = character())
  rows[[column]] <- factor(recoding[match(rows[[column]], recoding[[1]]), 2])
}
names(rows) <- make.names(columns) # sdcMicro evaluates the names
set.seed(1)
release <- extractManipData(kAnon(createSdcObj(rows, keyVars = names(rows)), k = k))[names(rows)]
names(release) <- columns
release[] <- lapply(release, as.character)
release[is.na(release)] <- "*"
write.csv(release, "sdcmicro.csv", row.names = FALSE, quote = TRUE)
cat(sprintf('{"version": "%s"}\n', packageVersion("sdcMicro")))
