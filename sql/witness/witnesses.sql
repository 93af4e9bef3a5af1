-- Tuples that few others resemble: witnesses against many nodes at once.
--
-- $k        the smallest allowed value group
-- $count    how many
-- $every    one of so many tuples is looked at
-- star      the star
-- values    its leaf columns
-- rarities  one witness/rarity per attribute, added up
-- joins     one witness/join per attribute
--
-- One row per witness, numbered from 1: of some tuples of fewer than k rows those with the rarest values.
select
    row_number() over () as witness,
    rarest.*
from (
    select tuples.*
    from {star} as tuples
    {joins}
    where tuples.frequency < $k
        and tuples.rowid % $every = 0
    order by
        {rarities},
        {values}
    limit $count
) as rarest
