-- The super-roots (section 3.3.1): where a subset of the attributes has several roots, the highest node beneath them.
--
-- nodes  C of this iteration
-- edges  E of this iteration
--
-- One row per subset: the lowest level of each attribute among its roots.
select
    dimensions,
    list(lowest order by position) as levels
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
where roots > 1
group by dimensions
order by dimensions
