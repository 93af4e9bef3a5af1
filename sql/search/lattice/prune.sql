-- Prune phase (section 3.1.2): a joined node remains if its levels are k-anonymous over every subset of i attributes.
--
-- joined     search/lattice/join
-- survivors  Si: the k-anonymous nodes over i attributes
-- places     search/lattice/first_graph#places
--
-- One row per node of the next C, the candidate nodes over i + 1 attributes.
with joined as (
    {joined}
)
select *
from joined
anti join (
    select subset.id
    from (
        select
            node.id,
            node.id - (node.level + 1) * place.digit as subset
        from (
            select
                id,
                unnest(dimensions) as dimension,
                unnest(levels) as level
            from joined
        ) as node
        join {places} as place using (dimension)
    ) as subset
    anti join {survivors} as survivor
        on survivor.id = subset.subset
) as incomplete using (id)
