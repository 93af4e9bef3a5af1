-- The largest k of each node, if some rows may be suppressed.
--
-- frequency  frequency sets: node, …, frequency
-- $allowed   the allowed number of suppressed rows
--
-- One row per node: its largest k, and the rows in smaller value groups. No row if all rows may be suppressed.
select
    node,
    min(frequency) as k,
    arg_min(upto - rows, frequency) as left_out
from (
    select
        node,
        frequency,
        rows,
        cast(sum(rows) over (partition by node order by frequency) as bigint) as upto
    from (
        select
            node,
            frequency,
            cast(sum(frequency) as bigint) as rows
        from (
            {frequency}
        )
        group by
            node,
            frequency
    )
)
where upto > $allowed
group by node
