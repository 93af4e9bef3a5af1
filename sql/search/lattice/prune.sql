-- Prune phase (section 3.1.2): a joined node remains if its levels are k-anonymous over every subset of i attributes.
--
-- joined     the nodes of the join phase
-- survivors  Si: the k-anonymous nodes over i attributes
--
-- One row per node of the next C, the candidate nodes over i + 1 attributes.
select joined.*
from {joined} as joined
semi join (
    select subset.id
    from (
        select
            id,
            list_concat(dimensions[:position - 1], dimensions[position + 1:]) as dimensions,
            list_concat(levels[:position - 1], levels[position + 1:]) as levels
        from (
            select
                id,
                dimensions,
                levels,
                unnest(range(1, len(dimensions) + 1)) as position
            from {joined}
        )
    ) as subset
    join {survivors} as survivor
        on survivor.dimensions = subset.dimensions
        and survivor.levels = subset.levels
    group by subset.id
    having count(*) = any_value(len(subset.dimensions)) + 1
) as complete
    on complete.id = joined.id
