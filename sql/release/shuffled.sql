-- An order that depends on the seed and on what is released, never on the source's order. Equal rows are neighbours.
--
-- seed     the seed
-- columns  the released columns
hash({seed}, {columns})
