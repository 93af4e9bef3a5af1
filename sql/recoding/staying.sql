-- The value groups of a node that are not left out so far.
--
-- groups    the node's frequency set
-- outliers  recoding/outliers
-- values    value_1, value_2, …
--
-- One row per value group.
(
    select *
    from {groups}
    anti join {outliers} using ({values})
)
