-- Whether a tuple's value group has too few rows.
--
-- $k           the smallest allowed value group
-- value_group  the node's level columns of the star
sum(frequency) over (partition by {value_group}) < $k
