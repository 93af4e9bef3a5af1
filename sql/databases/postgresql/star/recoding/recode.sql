-- section: shuffled
-- An order that depends on the seed and on released cells, never on the source's order. Unlike a random one, several
-- processes may sort by it. Equal rows are neighbours.
--
-- seed     the seed, such as `7`
-- columns  the released columns
hash_record_extended(row({columns}), {seed})
