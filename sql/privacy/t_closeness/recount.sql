-- Earth mover's distance of classes from the table, from privacy/class_values, for t-closeness. A moved amount is the
-- distance as a whole number: times the rows of the class and of the table. Pieces of several statements.

-- section: judged
-- Check of classes for t-closeness, from their moved amounts.
--
-- $most   the numerator of the largest allowed distance times $scale, as a fraction
-- $parts  the denominator of that fraction
-- $scale  the largest distance of two values
-- moved   #moved_along or #moved_anywhere
--
-- One row: the largest distance of a class (0 to 1), the number of classes above the allowed distance, and the number
-- of rows in these classes.
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
-- Amount moved between a class and the table, times the number of places passed in the order. From one value of a class
-- to the next, the class's cumulated share is constant, and the table's share grows: their difference changes its sign
-- once at most, at the turn. Sums of the table's rows give the amounts before the turn and from it on.
--
-- counted  privacy/class_values
-- places   #places
--
-- One row per class: its counted rows (size), all its rows (class_rows), the rows of the table (whole), and the moved
-- amount, times size and whole (moved).
select
    any_value(size) as size,
    any_value(class_rows) as class_rows,
    any_value(whole) as whole,
    any_value(size) * min(low_sum) + sum(
        rows_until * whole * (2 * turn - low - high) + size * (low_sum + high_sum - 2 * turn_sum)
    ) as moved
from (
    select
        gap.*,
        least(greatest(coalesce(passed.place + 1, 0), low), high) as turn,
        least(greatest(coalesce(passed.sum_after, 0), low_sum), high_sum) as turn_sum
    from (
        select
            class,
            size,
            class_rows,
            whole,
            place as low,
            sum_before as low_sum,
            coalesce(lead(place) over of_class, values) as high,
            coalesce(lead(sum_before) over of_class, whole_sum) as high_sum,
            cast(sum(rows) over of_class as hugeint) as rows_until
        from {counted} as counted
        join {places} as placed
            on placed.text is not distinct from counted.text
        where size > 0
        window of_class as (partition by class order by place)
    ) as gap
    asof left join {places} as passed
        on passed.table_rows <= cast(rows_until * whole // size as bigint)
)
group by class

-- section: moved_anywhere
-- Amount moved between a class and the table, with equal distances between all values.
--
-- counted  privacy/class_values
--
-- One row per class: its counted rows (size), all its rows (class_rows), the rows of the table (whole), and the moved
-- amount, times size and whole (moved).
select
    any_value(size) as size,
    any_value(class_rows) as class_rows,
    any_value(whole) as whole,
    sum(greatest(cast(rows as hugeint) * whole - cast(total as hugeint) * size, 0)) as moved
from {counted}
where size > 0
group by class

-- section: nodes
-- Number of rows by class and node of a hierarchy, for the ancestors of the class's values at all levels beneath the
-- top. The moved amount is the sum of the amounts moved between the nodes of each level.
--
-- counted  privacy/class_values
-- tree     #tree
--
-- One row per class and node, with the columns of privacy/class_values read by #moved_anywhere.
(
    select
        class,
        any_value(size) as size,
        any_value(class_rows) as class_rows,
        any_value(whole) as whole,
        sum(rows) as rows,
        any_value(tree.total) as total
    from {counted} as counted
    join {tree} as tree
        on tree.leaf is not distinct from counted.text
    group by
        class,
        node
)

-- section: places
-- The values of a sensitive attribute with their places in the order.
--
-- $texts   the values, in their order
-- totals   #totals
--
-- One row per value: its text, its place from 0 on, the cumulated number of the table's rows up to the value
-- (table_rows), the sum of these numbers over all values before it (sum_before) and including it (sum_after), the
-- number of values (values), and the sum over all values (whole_sum).
select
    *,
    sum_after - table_rows as sum_before,
    count(*) over () as values,
    max(sum_after) over () as whole_sum
from (
    select
        *,
        sum(table_rows) over (order by place) as sum_after
    from (
        select
            named.text,
            place,
            cast(sum(total) over (order by place) as bigint) as table_rows
        from (
            select
                unnest(cast($texts as varchar[])) as text,
                unnest(range(len(cast($texts as varchar[])))) as place
        ) as named
        join (
            {totals}
        ) as value_of
            on value_of.text is not distinct from named.text
    )
)

-- section: totals
-- The sensitive values of the table, with the number of the table's rows per value.
--
-- counted  privacy/class_values
--
-- One row per value.
select distinct
    text,
    total
from {counted}

-- section: tree
-- The ancestor nodes of a sensitive attribute's values in a hierarchy, at every level beneath the top.
--
-- $leaves  the values, each once per level
-- $nodes   the number of the value's ancestor node at this level
-- totals   #totals
--
-- One row per value and ancestor node, with the number of the table's rows beneath the node.
select
    leaf,
    node,
    sum(total) over (partition by node) as total
from (
    select
        unnest(cast($leaves as varchar[])) as leaf,
        unnest(cast($nodes as bigint[])) as node
) as named
join (
    {totals}
) as value_of
    on value_of.text is not distinct from named.leaf

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
