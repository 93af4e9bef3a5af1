-- A cell in a count of distinct values.
--
-- cell  the cell if it is a text, else store/cell/exact of the cell
{cell}
