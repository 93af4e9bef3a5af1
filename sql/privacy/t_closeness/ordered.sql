-- That a script's release has a class whose sensitive values are too far from those of all of it, by their order.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- place      its place in the order
-- release    the release
-- t          the largest distance, times its parts
-- parts      the parts
exists (
    with value_counts as (
        select
            dense_rank() over (order by {values}) as class,
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
)
