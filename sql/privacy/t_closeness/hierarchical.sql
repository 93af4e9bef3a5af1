-- That a script's release has a class whose sensitive values are too far from those of all of it, by their hierarchy.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- text       it as text
-- release    the release
-- tree       privacy/t_closeness/node of every value and level
-- height     the height of the hierarchy
-- t          the largest distance, times its parts
-- parts      the parts
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
)
