-- Which child of its parent a value is, in its bits.
--
-- above  the ancestor column of the parent's level
-- below  that of the value's level
-- mark   the lowest of the bits
(dense_rank() over (partition by {above} order by {below}) - 1) * {mark}
