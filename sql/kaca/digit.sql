-- Which child of its parent a value is.
--
-- above  the ancestor column of the parent's level
-- below  that of the value's level
-- size   the weight of the digit
(dense_rank() over (partition by {above} order by {below}) - 1) * {size}
