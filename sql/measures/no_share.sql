-- What stands for the share of the other leaves that a range covers, where a cell has no range.
cast(null as double)
