-- What moves between a class and the table up to how high a node of the hierarchy.
--
-- every  privacy/t_closeness/every
-- tree   privacy/t_closeness/tree
--
-- One row per class: its rows, those of the table, and what moves, times both.
select
    any_value(size) as size,
    any_value(whole) as whole,
    sum(level * least(more, less)) as moved
from (
    select
        class,
        any_value(size) as size,
        any_value(whole) as whole,
        level + 1 as level,
        sum(greatest(extra, 0)) as more,
        sum(greatest(-extra, 0)) as less
    from (
        select
            class,
            any_value(size) as size,
            any_value(whole) as whole,
            level,
            node,
            parent,
            sum(extra) as extra
        from {every} as every
        join {tree} as tree
            on tree.leaf is not distinct from every.text
        group by
            class,
            level,
            node,
            parent
    )
    group by
        class,
        level,
        parent
)
group by class
