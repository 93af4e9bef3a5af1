-- The allowable cuts: every side satisfies the requirement. A hierarchical attribute is cut into the children of a
-- value. A numeric attribute is cut in two, between the leaves at the allowable cut nearest to the median.
--
-- $known     the highest id of a region so far
-- left       one privacy/running or privacy/running#rows per carried column: the values of all children up to the
--            current one, as left_1, left_2, …, each after a comma
-- right      the same for all children after it, as right_1, right_2, …, each after a comma
-- of_left    left_1, … as the carried columns, each after a comma
-- of_right   right_1, … as the carried columns, each after a comma
-- rights     right_1, right_2, …, each after a comma
-- merged     star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- violating  the condition for a violating side
-- counts     search/mondrian/counts
-- cuts       search/mondrian/cuts
-- numeric    the positions of the numeric attributes, and 0
--
-- One row per child of a cut region, with its new region.
with medians as (
    select
        region,
        min(struct_pack(far := abs(2 * until - whole), child := child)).child as last
    from (
        select
            region,
            child,
            whole,
            until,
            whole - until as frequency{of_right}
        from (
            select
                region,
                child,
                whole,
                until,
                until as frequency{rights}{of_left}
            from (
                select
                    region,
                    child,
                    cut.frequency as whole,
                    sum(counted.frequency) over (partition by region order by child) as until{left}{right}
                from {counts} as counted
                join {cuts} as cut using (region)
                where cut.dimension in ({numeric})
            )
        )
        where not {violating}
    )
    where not {violating}
    group by region
),

sided as materialized (
    select
        counted.*,
        case when cut.dimension in ({numeric}) then cast(counted.child > median.last as integer) else counted.child end
            as side
    from {counts} as counted
    join {cuts} as cut using (region)
    left join medians as median using (region)
),

sizes as materialized (
    select
        region,
        side,
        {merged}
    from sided
    where side is not null
    group by
        region,
        side
),

targets as (
    select
        region,
        side,
        cast($known + row_number() over (order by region, side) as bigint) as target
    from sizes
    join (
        select region
        from sizes
        group by region
        having not bool_or({violating})
    ) using (region)
)

select
    region,
    child,
    target
from sided
join targets using (region, side)

-- section: further
-- A column after a comma, for a list of columns that may be empty.
--
-- column  the column
,
{column}

-- section: up_to
-- The window frame of all children up to the current one.
rows between unbounded preceding and current row

-- section: beyond
-- The window frame of all children after the current one.
rows between 1 following and unbounded following
