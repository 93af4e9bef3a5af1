-- privacy/t_closeness/along
coalesce(
    list_sum([
        abs(list_sum(["rows"][1:place]) * "whole" - frequency * list_sum(["totals"][1:place]))
        for place in range(1, "values")
    ]),
    0
)

-- privacy/t_closeness/at
when "text" then "place"

-- privacy/t_closeness/climbed
"level" * least(greatest((("rows") * "whole" - frequency * "total"), 0), greatest(-(("rows") * "whole" - frequency * "total"), 0))

-- privacy/t_closeness/every
select
    each.class,
    each.size,
    each.whole,
    value_of.text,
    cast(coalesce(found.rows, 0) as hugeint) * each.whole - cast(value_of.total as hugeint) * each.size as extra
from (
    select distinct
        class,
        size,
        whole
    from "counted"
) as each
cross join (
    select distinct
        text,
        total
    from "counted"
) as value_of
left join "counted" as found
    on found.class = each.class
    and found.text is not distinct from value_of.text

-- privacy/t_closeness/extra
(("rows") * "whole" - frequency * "total")

-- privacy/t_closeness/hierarchical
exists (
    with value_counts as (
        select
            dense_rank() over (order by "values") as class,
            max("text") as leaf,
            count(*) as value_rows,
            sum(count(*)) over (partition by "values") as size,
            sum(count(*)) over (partition by "sensitive") as total,
            sum(count(*)) over () as whole
        from "release"
        group by
            "values",
            "sensitive"
    ),

    tree as (
        select "leaf" as leaf, "level" as level, "node" as node, "parent" as parent
    ),

    extras as (
        select
            judged.class,
            judged.size,
            judged.whole,
            node.level,
            node.node,
            node.parent,
            sum(coalesce(found.value_rows, 0) * judged.whole - value_of.total * judged.size) as extra
        from (select distinct class, size, whole from value_counts) as judged
        cross join (select leaf, max(total) as total from value_counts group by leaf) as value_of
        join tree as node
            on node.leaf = value_of.leaf
            or (node.leaf is null and value_of.leaf is null)
        left join value_counts as found
            on found.class = judged.class
            and (found.leaf = value_of.leaf or (found.leaf is null and value_of.leaf is null))
        group by
            judged.class,
            judged.size,
            judged.whole,
            node.level,
            node.node,
            node.parent
    ),

    climbed as (
        select
            class,
            size,
            whole,
            (level + 1) * case
                when sum(case when extra > 0 then extra else 0 end) < sum(case when extra < 0 then -extra else 0 end)
                then sum(case when extra > 0 then extra else 0 end)
                else sum(case when extra < 0 then -extra else 0 end)
            end as moved
        from extras
        group by
            class,
            size,
            whole,
            level,
            parent
    )

    select 1
    from climbed
    group by class
    having sum(moved) * "parts" > max(size) * max(whole) * "t" * "height"
)

-- privacy/t_closeness/judged
select
    max(moved / (cast(size as double) * whole * $scale)) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from (
    select
        *,
        cast(moved as hugeint) * cast($parts as hugeint)
            > cast(size as hugeint) * cast(whole as hugeint) * cast($most as hugeint) as far
    from (
select *
from "moved"
    )
)

-- privacy/t_closeness/less
greatest(-(("rows") * "whole" - frequency * "total"), 0)

-- privacy/t_closeness/lines
select
    cast(value as varchar) as text,
    "levels"
from "members"
where present

-- privacy/t_closeness/missing
null

-- privacy/t_closeness/more
greatest((("rows") * "whole" - frequency * "total"), 0)

-- privacy/t_closeness/moved_along
select
    any_value(size) as size,
    any_value(whole) as whole,
    sum(abs(until)) as moved
from (
    select
        class,
        size,
        whole,
        sum(extra) over (partition by class order by place) as until
    from "every" as every
    join "places" as place
        on place.text is not distinct from every.text
)
group by class

-- privacy/t_closeness/moved_anywhere
select
    any_value(size) as size,
    any_value(whole) as whole,
    sum(greatest(cast(rows as hugeint) * whole - cast(total as hugeint) * size, 0)) as moved
from "counted"
group by class

-- privacy/t_closeness/moved_up
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
        from "every" as every
        join "tree" as tree
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

-- privacy/t_closeness/node
select "leaf" as leaf, "level" as level, "node" as node, "parent" as parent

-- privacy/t_closeness/number
cast("text" as double)

-- privacy/t_closeness/number.mariadb
cast("text" as decimal(65, 20))

-- privacy/t_closeness/number.postgresql
cast("text" as numeric)

-- privacy/t_closeness/number.sqlite
cast("text" as real)

-- privacy/t_closeness/ordered
exists (
    with value_counts as (
        select
            dense_rank() over (order by "values") as class,
            max("place") as place,
            count(*) as value_rows,
            sum(count(*)) over (partition by "values") as size,
            sum(count(*)) over (partition by "sensitive") as total,
            sum(count(*)) over () as whole
        from "release"
        group by
            "values",
            "sensitive"
    ),

    every as (
        select
            judged.class,
            judged.size,
            judged.whole,
            value_of.place,
            value_of.total,
            coalesce(found.value_rows, 0) as value_rows
        from (select distinct class, size, whole from value_counts) as judged
        cross join (select place, max(total) as total from value_counts group by place) as value_of
        left join value_counts as found
            on found.class = judged.class
            and found.place = value_of.place
    ),

    running as (
        select
            class,
            size,
            whole,
            sum(value_rows) over (partition by class order by place) * whole
            - sum(total) over (partition by class order by place) * size as extra
        from every
    )

    select 1
    from running
    group by class
    having sum(abs(extra)) * "parts"
        > max(size) * max(whole) * "t" * (select count(distinct place) - 1 from value_counts)
)

-- privacy/t_closeness/placed
case "text" when "text" then "place" else "missing" end

-- privacy/t_closeness/places
select
    unnest(cast($texts as varchar[])) as text,
    unnest(range(len(cast($texts as varchar[])))) as place

-- privacy/t_closeness/recount
select
    dense_rank() over (order by "values") as class,
    cast("sensitive" as varchar) as text,
    cast(sum(size) as bigint) as rows,
    sum(sum(size)) over (partition by "values") as size,
    sum(sum(size)) over (partition by "sensitive") as total,
    sum(sum(size)) over () as whole
from "classes"
group by
    "values",
    "sensitive"

-- privacy/t_closeness/texts
select distinct text
from "counted"

-- privacy/t_closeness/tree
select
    unnest(cast($leaves as varchar[])) as leaf,
    unnest(cast($levels as bigint[])) as level,
    unnest(cast($nodes as bigint[])) as node,
    unnest(cast($parents as bigint[])) as parent

-- privacy/t_closeness/violated
exists (
    select 1
    from "value_counts"
    group by "values"
    having sum(
        case when value_rows * whole > total * size then value_rows * whole - total * size else 0 end
    ) * "parts" > max(size) * max(whole) * "t"
)

-- privacy/t_closeness/violating
cast("moved" as hugeint) * "parts" > cast(frequency as hugeint) * "most"
