-- A hash of 64 bits in place of a text: a count of distinct texts compares them by their collation, which takes several
-- times as long. Two of five million texts have the same hash with a probability of 1 in a million.
--
-- cell  the cell if it is a text, else store/cell/exact of the cell
hashtextextended(cast({cell} as text) collate "C", 0)
