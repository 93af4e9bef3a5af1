-- A cell of any type as hexadecimal text: the client cannot change its bytes by decoding.
--
-- exact  store/cell/exact of the cell
hex({exact})
