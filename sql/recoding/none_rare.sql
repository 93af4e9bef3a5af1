-- No value group of the node has too few rows.
false
