-- Discernibility: a released row costs its class's size, a suppressed one the table's (Bayardo, Agrawal 2005, in
-- Li, Wong, Fu, Pei 2008, section 4, without suppression). Without suppression it only grows upward: that is the bound.
--
-- $rows  rows of the source
-- score  search/objective/score
--
-- One row per node.
select
    node,
    cast(squares as double) as bound,
    cast(released_squares + cast(outliers as hugeint) * $rows as double) as cost
from (
    {score}
)
