-- The path of every leaf of a value tree: the child to follow from the root down, a digit per level. Two leaves have a
-- common ancestor at a level if their digits from that level up are equal.
--
-- words  the digits of each word, as word_1, word_2, …
-- table  the dimension table
--
-- One row per leaf.
select
    code,
    {words}
from {table}

-- section: digit
-- The number of a value among its parent's children, in its bits.
--
-- above  the ancestor column of the parent's level
-- below  the column of the value's level
-- mark   the lowest of the bits
(dense_rank() over (partition by {above} order by {below}) - 1) * {mark}

-- section: top
-- The number of the top value above a value, of several, in its bits.
--
-- below  the ancestor column of the top
-- mark   the lowest of the bits
(dense_rank() over (order by {below}) - 1) * {mark}
