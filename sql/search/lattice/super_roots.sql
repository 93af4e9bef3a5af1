-- The super-roots (section 3.3.1): for each subset of the attributes, the node just beneath all of its roots.
--
-- nodes  C of this iteration
-- edges  E of this iteration
--
-- One row per subset: the lowest level of each attribute among its roots, and how many they are.
select
    dimensions,
    list(lowest order by position) as levels,
    any_value(roots) as roots
from (
    select
        dimensions,
        position,
        min(levels[position]) as lowest,
        count(*) as roots
    from (
        select
            dimensions,
            levels,
            unnest(range(1, len(levels) + 1)) as position
        from {nodes} as node
        anti join {edges} as edge
            on edge.end_id = node.id
    )
    group by
        dimensions,
        position
)
group by dimensions
order by dimensions
