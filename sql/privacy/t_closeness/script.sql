-- section: violated
-- Condition to refuse a release: the earth mover's distance of a class's sensitive values from the whole release is too
-- large, with equal distances between all values.
--
-- value_counts  privacy/released
-- t             the numerator of the largest distance, as a fraction
-- parts         the denominator of that fraction
exists (
    select 1
    from {value_counts}
    group by class
    having sum(
        case when value_rows * whole > total * size then value_rows * whole - total * size else 0 end
    ) * {parts} > max(size) * max(whole) * {t}
)

-- section: ordered
-- Condition to refuse a release: the earth mover's distance of a class's sensitive values from the whole release is too
-- large, with distances by the order of the values. The release is also refused if a value has no place, or shares it
-- with another value, or if the release has more values than the searched table.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- text       the sensitive value as text
-- place      the place of the value in the order: #placed, #placed_alone or #number
-- places     number of different values in the searched table
-- release    the release
-- t          the numerator of the largest distance, as a fraction
-- parts      the denominator of that fraction
exists (
    with value_counts as (
        select
            dense_rank() over (order by {values}) as class,
            max({text}) as leaf,
            max({place}) as place,
            count(*) as value_rows,
            sum(count(*)) over (partition by {values}) as size,
            sum(count(*)) over (partition by {sensitive}) as total,
            sum(count(*)) over () as whole
        from {release}
        group by
            {values},
            {sensitive}
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
    having sum(abs(extra)) * {parts}
        > max(size) * max(whole) * {t} * (select count(distinct place) - 1 from value_counts)
        or exists (select 1 from value_counts where place is null)
        or (select count(distinct place) from value_counts) > {places}
        or exists (select 1 from value_counts group by place having count(distinct leaf) > 1)
)

-- section: hierarchical
-- Condition to refuse a release: the earth mover's distance of a class's sensitive values from the whole release is too
-- large, with distances by a hierarchy. The release is also refused if a value is not in the hierarchy.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- text       the sensitive value as text
-- release    the release
-- tree       #node of every value and level
-- height     the height of the hierarchy
-- t          the numerator of the largest distance, as a fraction
-- parts      the denominator of that fraction
exists (
    with value_counts as (
        select
            dense_rank() over (order by {values}) as class,
            max({text}) as leaf,
            count(*) as value_rows,
            sum(count(*)) over (partition by {values}) as size,
            sum(count(*)) over (partition by {sensitive}) as total,
            sum(count(*)) over () as whole
        from {release}
        group by
            {values},
            {sensitive}
    ),

    tree as (
        {tree}
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
    having sum(moved) * {parts} > max(size) * max(whole) * {t} * {height}

    union all

    select 1
    from value_counts
    where not exists (
        select 1
        from tree
        where tree.leaf = value_counts.leaf
            or (tree.leaf is null and value_counts.leaf is null)
    )
)

-- section: node
-- A value of a sensitive attribute, with its ancestor node at one level of its hierarchy.
--
-- leaf    the value as text
-- level   the level, from 0 on
-- node    the number of the value's ancestor at this level
-- parent  the number of its ancestor at the next higher level
select {leaf} as leaf, {level} as level, {node} as node, {parent} as parent

-- section: placed
-- The place of a value in a given order; null for a value without a place.
--
-- text     the value as text
-- places   one privacy/t_closeness/model#at per value
-- missing  the place of the missing value; none if the order has none
case when {text} is null then {missing} else case {text} {places} end end

-- section: placed_alone
-- The place of the missing value, in an order with no other place.
--
-- text     the value as text
-- missing  the place of the missing value
case when {text} is null then {missing} end

-- section: number
-- The place of a value in the order of numbers: the value itself as a number.
--
-- text  the value as text
cast({text} as double)

-- section: missing
-- The missing value, as a literal.
null
