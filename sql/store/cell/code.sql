-- A cell of any type as a value that a transfer does not change: two distinguishable cells have different values.
--
-- exact  store/cell/exact of the cell
{exact}
