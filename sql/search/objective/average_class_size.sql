-- Normalized average class size (Li, Wong, Fu, Pei 2008, section 4) of the released rows. Value groups only merge
-- upward, and at most the allowed outliers leave: that is the bound.
--
-- $rows     rows of the source
-- $allowed  how many outliers may be suppressed
-- $k        the smallest allowed value group
-- score     search/objective/score
--
-- One row per node; a node that releases nothing costs infinitely much.
select
    node,
    ($rows - $allowed) / groups / $k as bound,
    coalesce(($rows - outliers) / nullif(classes, 0) / $k, cast('infinity' as double)) as cost
from (
    {score}
)
