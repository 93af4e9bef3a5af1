-- The largest k that each node has, where some rows may be left out.
--
-- frequency  frequency sets: node, …, frequency
-- $allowed   how many rows may be left out
--
-- One row per node: its largest k, and the rows in smaller value groups. None where all rows may be left out.
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
