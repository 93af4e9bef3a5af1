-- Weighted hierarchical distance from the leaf to each level (Li, Wong, Fu, Pei 2008, Definition 5). The paper numbers
-- levels from 1, the root; a step to level l of a hierarchy of height h weighs 1, or 1 / (h + 1 - l) ^ beta.
--
-- $beta           at least 1
-- generalization  the generalization relation
--
-- One row per attribute and level: uniform and height, each 0 at the leaf and 1 at the root. With a single level, all
-- of them are 0; a quotient of 0 and 0 would be NaN.
select
    dimension,
    level,
    coalesce(level / nullif(max(level) over (partition by dimension), 0), 0) as uniform,
    coalesce(
        sum(weight) over (partition by dimension order by level) / nullif(sum(weight) over (partition by dimension), 0),
        0
    ) as height
from (
    select
        dimension,
        level,
        case
            when level = 0 then 0
            else 1 / power(max(level) over (partition by dimension) + 1 - level, $beta)
        end as weight
    from (
        select distinct
            dimension,
            level
        from {generalization}
    )
)
