-- A cell of any type as a value sent unchanged from its database: two cells different to any reader differ.
--
-- exact  store/cell/exact of the cell
{exact}
