-- A cell of any type as a text: its bytes are not sent unchanged.
--
-- exact  store/cell/exact of the cell
hex({exact})
