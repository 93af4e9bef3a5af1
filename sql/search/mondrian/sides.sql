-- The allowable cuts: every side of them satisfies the requirement. A hierarchical attribute is cut into the children
-- of its value, a numeric one in two, between the leaves where an allowable cut is nearest to the median.
--
-- $known     the number of the last region that is known
-- left       one #running or #running_rows per column carried: what the children up to one carry, as left_1, left_2, …,
--            each after a comma
-- right      the same of the others, as right_1, right_2, …, each after a comma
-- of_left    left_1, … as the columns that are carried, each after a comma
-- of_right   right_1, … as the columns that are carried, each after a comma
-- rights     right_1, right_2, …, each after a comma
-- merged     star/frequency/rollup#counted, and one privacy/aggregates#merged per sensitive attribute that is carried
-- violating  the condition that a side violates the requirement
-- counts     search/mondrian/counts
-- cuts       search/mondrian/cuts
-- numeric    the positions of the numeric attributes, and 0
--
-- One row per child of a region that is cut, with the new region it goes to.
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
-- A further column, of which there may be none.
--
-- column  the column
,
{column}

-- section: up_to
-- All children up to one.
rows between unbounded preceding and current row

-- section: beyond
-- All children beyond one.
rows between 1 following and unbounded following

-- section: running
-- What one side of a cut of a numeric attribute carries of a sensitive one: the children up to one, or the others.
--
-- held   the column that is carried
-- frame  #up_to or #beyond
-- side   the side's own column
bit_or(counted.{held}) over (partition by region order by child {frame}) as {side}

-- section: running_rows
-- How many rows of one side of a cut of a numeric attribute have one value of a sensitive one: of the children up to
-- one, or of the others.
--
-- rows   the column that is carried
-- frame  #up_to or #beyond
-- side   the side's own column
cast(coalesce(sum(counted.{rows}) over (partition by region order by child {frame}), 0) as bigint) as {side}
