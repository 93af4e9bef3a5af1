-- The path of every leaf of a hierarchy: the child to follow at each level from the root down, a digit per level.
-- Digits are bits of whole numbers (words). Two leaves have a common ancestor at a level if their digits from that
-- level up are equal.
--
-- words  the sum of the digits of each word, as word_1, word_2, …
-- table  the dimension table of the attribute: codes and texts at every level
--
-- One row per leaf.
select
    code,
    {words}
from {table}

-- section: digit
-- A digit: the number of a value among its parent's children, shifted to the digit's bits.
--
-- above  the ancestor column of the parent's level
-- below  the column of the value's level
-- mark   the lowest of the bits
(dense_rank() over (partition by {above} order by {below}) - 1) * {mark}

-- section: top
-- The number of the top value above a leaf, in a hierarchy with several top values, shifted to its bits.
--
-- below  the ancestor column of the top
-- mark   the lowest of the bits
(dense_rank() over (order by {below}) - 1) * {mark}
