-- The path of every leaf of a value tree: which child to follow from the root down, a digit per level. Two leaves have
-- a common ancestor at a level where their digits from that level up are equal.
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
-- Which child of its parent a value is, in its bits.
--
-- above  the ancestor column of the parent's level
-- below  that of the value's level
-- mark   the lowest of the bits
(dense_rank() over (partition by {above} order by {below}) - 1) * {mark}

-- section: top
-- Which of several values at the top a value is under, in its bits.
--
-- below  the ancestor column of the top
-- mark   the lowest of the bits
(dense_rank() over (order by {below}) - 1) * {mark}
