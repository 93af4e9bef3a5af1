-- section: shuffled
-- An order that depends on the seed and on what is released, never on the source's order. Unlike a random one, several
-- processes may sort by it. Equal rows are neighbours.
--
-- seed     the seed
-- columns  the released columns
hash_record_extended(row({columns}), {seed})

-- section: same
-- Two cells are equal; the missing value is equal to itself. By two equalities, as is not distinct from cannot be
-- hashed: whether there is a value, and its text, which an empty one stands in for.
--
-- one    a column
-- other  another one, of the same type
coalesce(cast({one} as text), '') = coalesce(cast({other} as text), '')
    and ({one} is null) = ({other} is null)
