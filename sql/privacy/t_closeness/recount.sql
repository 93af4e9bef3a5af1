-- Amounts moved between classes and the table, from privacy/class_values. Pieces of several statements.

-- section: judged
-- Check of classes: near enough to the table.
--
-- $most   the numerator of how much may move, as a fraction
-- $parts  the denominator of that fraction
-- $scale  the largest distance of two values
-- moved   the moved amounts
--
-- One row: the largest distance; how many classes are too far, and how many rows those have.
select
    max(moved / (cast(size as double) * whole * $scale)) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(class_rows) filter (where far), 0) as bigint) as violating_rows
from (
    select
        *,
        cast(moved as hugeint) * cast($parts as hugeint)
            > cast(size as hugeint) * cast(whole as hugeint) * cast($most as hugeint) as far
    from (
{moved}
    )
)

-- section: moved_along
-- Amount moved between a class and the table, times the number of values passed in the order.
--
-- every   #every
-- places  #places
--
-- One row per class: its rows, those of the table, and the moved amount, times both.
select
    any_value(size) as size,
    any_value(class_rows) as class_rows,
    any_value(whole) as whole,
    sum(abs(until)) as moved
from (
    select
        class,
        size,
        class_rows,
        whole,
        sum(extra) over (partition by class order by place) as until
    from {every} as every
    join {places} as place
        on place.text is not distinct from every.text
)
group by class

-- section: moved_anywhere
-- Amount moved between a class and the table, with equal distances between all values.
--
-- counted  privacy/class_values
--
-- One row per class: its rows, those of the table, and the moved amount, times both.
select
    any_value(size) as size,
    any_value(class_rows) as class_rows,
    any_value(whole) as whole,
    sum(greatest(cast(rows as hugeint) * whole - cast(total as hugeint) * size, 0)) as moved
from {counted}
where size > 0
group by class

-- section: moved_up
-- Amount moved between a class and the table, times the height of the node in the hierarchy.
--
-- every  #every
-- tree   #tree
--
-- One row per class: its rows, those of the table, and the moved amount, times both.
select
    any_value(size) as size,
    any_value(class_rows) as class_rows,
    any_value(whole) as whole,
    sum(level * least(more, less)) as moved
from (
    select
        class,
        any_value(size) as size,
        any_value(class_rows) as class_rows,
        any_value(whole) as whole,
        level + 1 as level,
        sum(greatest(extra, 0)) as more,
        sum(greatest(-extra, 0)) as less
    from (
        select
            class,
            any_value(size) as size,
            any_value(class_rows) as class_rows,
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

-- section: every
-- Every class with every value, even values it lacks.
--
-- counted  privacy/class_values
--
-- One row per class and value: the excess of its share over that of the table, times the rows of both.
select
    each.class,
    each.size,
    each.class_rows,
    each.whole,
    value_of.text,
    cast(coalesce(found.rows, 0) as hugeint) * each.whole - cast(value_of.total as hugeint) * each.size as extra
from (
    select distinct
        class,
        size,
        class_rows,
        whole
    from {counted}
    where size > 0
) as each
cross join (
    select distinct
        text,
        total
    from {counted}
) as value_of
left join {counted} as found
    on found.class = each.class
    and found.text is not distinct from value_of.text

-- section: places
-- The values of a sensitive attribute with their places in the order.
--
-- $texts  the values, in their order
--
-- One row per value.
select
    unnest(cast($texts as varchar[])) as text,
    unnest(range(len(cast($texts as varchar[])))) as place

-- section: texts
-- The values of the table.
--
-- counted  privacy/class_values
--
-- One row per value.
select distinct text
from {counted}

-- section: tree
-- The nodes of a hierarchy above the values of a sensitive attribute.
--
-- $leaves   the values
-- $levels   the level
-- $nodes    the node of the level, by a number
-- $parents  the nodes of the level above
--
-- One row per value and level.
select
    unnest(cast($leaves as varchar[])) as leaf,
    unnest(cast($levels as bigint[])) as level,
    unnest(cast($nodes as bigint[])) as node,
    unnest(cast($parents as bigint[])) as parent

-- section: lines
-- The texts of a sensitive attribute's values at every level of a hierarchy.
--
-- levels   level_0, level_1, …
-- members  the members of the hierarchy
--
-- One row per value of the table.
select
    cast(value as varchar) as text,
    {levels}
from {members}
where present
