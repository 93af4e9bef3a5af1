-- A cell of any type as a text: its bytes do not leave as they are.
--
-- exact  store/cell/exact of the cell
hex({exact})
