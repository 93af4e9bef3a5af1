-- Weighted hierarchical distance from the leaf to each level (Li, Wong, Fu, Pei 2008, Definition 5). The paper numbers
-- levels from 1, the root; a step to level l of a hierarchy of height h weighs 1, or 1 / (h + 1 - l) ^ beta.
--
-- $beta        at least 1
-- hierarchies  one #hierarchy per attribute
--
-- One row per attribute and level of its whole hierarchy: uniform and height, each 0 at the leaf and 1 at the root.
-- level counts from the lowest level allowed by the job; levels beneath it are negative. With a single level, all of
-- them are 0; a quotient of 0 and 0 would be NaN.
select
    dimension,
    climbed - beneath as level,
    coalesce(climbed / nullif(top, 0), 0) as uniform,
    coalesce(
        sum(weight) over (partition by dimension order by climbed)
            / nullif(sum(weight) over (partition by dimension), 0),
        0
    ) as height
from (
    select
        dimension,
        climbed,
        beneath,
        top,
        case
            when climbed = 0 then 0
            else 1 / power(top + 1 - climbed, $beta)
        end as weight
    from (
        {hierarchies}
    )
)

-- section: hierarchy
-- All levels of one hierarchy, with those that no release may have.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- height     the height of the hierarchy
-- beneath    how many of its levels are below the lowest that a release may have
--
-- One row per level.
select
    cast({dimension} as utinyint) as dimension,
    unnest(range({height} + 1)) as climbed,
    cast({beneath} as bigint) as beneath,
    cast({height} as bigint) as top
