-- Weighted hierarchical distance from the leaf to each level (Li, Wong, Fu, Pei 2008, Definition 5). The paper numbers
-- levels from 1, the root; a step to level l of a hierarchy of height h weighs 1, or 1 / (h + 1 - l) ^ beta.
--
-- $beta        at least 1
-- hierarchies  one #hierarchy per attribute
--
-- One row per attribute and level of its whole hierarchy: uniform and height, each 0 at the leaf and 1 at the root.
-- level is 0 for the lowest level permitted in a release, and negative below. In a hierarchy of height 0, both
-- distances are 0; a quotient of 0 and 0 would be NaN.
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
-- All levels of one hierarchy, including levels not permitted in a release.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- height     the height of the hierarchy
-- beneath    the number of levels below the lowest level permitted in a release
--
-- One row per level.
select
    cast({dimension} as utinyint) as dimension,
    unnest(range({height} + 1)) as climbed,
    cast({beneath} as bigint) as beneath,
    cast({height} as bigint) as top
