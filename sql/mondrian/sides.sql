-- The allowable cuts: every side of them has at least k rows. A hierarchical attribute is cut into the children of its
-- value, a numeric one in two, between the leaves where an allowable cut is nearest to the median.
--
-- $k       the smallest allowed region
-- $known   the number of the last region that is known
-- counts   mondrian/counts
-- numeric  the positions of the numeric attributes, and 0
--
-- One row per child of a region that is cut, with the new region it goes to.
select
    region,
    child,
    cast($known + dense_rank() over (order by region, side) as bigint) as target
from (
    select
        region,
        child,
        side,
        min(rows) over (partition by region) as smallest
    from (
        select
            region,
            child,
            side,
            sum(frequency) over (partition by region, side) as rows
        from (
            select
                *,
                case when dimension in ({numeric}) then cast(child > cut.child as integer) else child end as side
            from (
                select
                    *,
                    min(struct_pack(far := abs(2 * until - whole), child := child))
                        filter (where until >= $k and whole - until >= $k)
                        over (partition by region) as cut
                from (
                    select
                        *,
                        sum(frequency) over (partition by region order by child) as until,
                        sum(frequency) over (partition by region) as whole
                    from {counts}
                )
            )
        )
    )
)
where side is not null
    and smallest >= $k
