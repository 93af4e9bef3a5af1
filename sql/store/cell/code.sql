-- A cell of any type as a value that leaves its database as it is: two cells that somebody can tell apart differ.
--
-- exact  store/cell/exact of the cell
{exact}

-- dialect: sqlite
-- A cell of any type as a text: its bytes do not leave as they are.
--
-- exact  store/cell/exact of the cell
hex({exact})

-- dialect: spark
-- A cell of any type as a text: its bytes do not leave as they are.
--
-- exact  store/cell/exact of the cell
hex({exact})
