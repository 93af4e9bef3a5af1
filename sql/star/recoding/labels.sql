-- Attributes with ambiguous labels: texts for several groups of leaves, at the levels used by a recoding.
--
-- levels  the union of one #level per attribute and level
--
-- One row per attribute with ambiguous labels: labels is their number.
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
-- The labels (texts) of one level, each with the first and the last code of its leaves. A missing value is no label.
--
-- dimension  the attribute's position
-- level      the column with the level's texts
-- table      the attribute's dimension table
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
