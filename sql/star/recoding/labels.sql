-- Attributes with labels for several groups of values, over the levels mixed by a recoding.
--
-- levels  one #level per attribute and level, one after the other
--
-- One row per attribute with such labels, with their number.
select
    dimension,
    count(*) as labels
from (
    select
        dimension,
        label
    from (
        select distinct
            dimension,
            label,
            first,
            last
        from (
            {levels}
        )
    )
    group by
        dimension,
        label
    having count(*) > 1
)
group by dimension
order by dimension

-- section: level
-- The labels of one level, with the leaves under each, which are neighbours. A missing value is no label.
--
-- dimension  the attribute's position
-- level      the level's column
-- table      its dimension table
--
-- One row per label.
select
    {dimension} as dimension,
    {level} as label,
    min(code) as first,
    max(code) as last
from {table}
where {level} is not null
group by {level}
