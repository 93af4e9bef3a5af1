-- section: shuffled
-- An order that depends on the seed and on released cells, never on the source's order. Unlike a random one, several
-- processes may sort by it. Equal rows are neighbours.
--
-- seed     the seed, such as `7`
-- columns  the released columns
hash_record_extended(row({columns}), {seed})

-- section: same
-- Condition for equal cells; missing values are equal. It has two equalities, as is not distinct from cannot be hashed:
-- one on the presence of a value, one on its text, with an empty text for a missing value.
--
-- one    a column
-- other  another one, of the same type
coalesce(cast({one} as text), '') = coalesce(cast({other} as text), '')
    and ({one} is null) = ({other} is null)
