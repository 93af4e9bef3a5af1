-- The sum of hashes of rows that keep no cells.
0
