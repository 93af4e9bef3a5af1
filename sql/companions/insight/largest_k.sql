-- The largest k reached by each node of the generalization lattice, if some rows may be suppressed.
--
-- frequency  frequency sets: node, …, frequency
-- $allowed   the allowed number of suppressed rows
--
-- One row per node: the largest k, and the number of rows in equivalence classes smaller than k, to be suppressed. No
-- row for a node with all rows suppressed.
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
