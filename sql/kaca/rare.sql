-- Lemma 4 (Li, Wong, Fu, Pei 2008): the rows whose value of one attribute, generalized globally to one level, occurs
-- fewer than k times. As a share of all rows they are the lower bound of the generalization portion.
--
-- $k     the smallest allowed class
-- value  the attribute's column of the star at that level
-- star   the star
--
-- One row.
select cast(coalesce(sum(frequency), 0) as bigint) as rows
from (
    select sum(frequency) as frequency
    from {star}
    group by {value}
)
where frequency < $k
