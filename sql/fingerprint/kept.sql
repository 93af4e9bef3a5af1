-- A cell after others.
--
-- cell  the cell
, {cell}
