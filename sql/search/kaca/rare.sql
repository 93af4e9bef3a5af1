-- Lemma 4 (Li, Wong, Fu, Pei 2008): the rows whose value of one attribute, generalized globally to one level, is too
-- rare to satisfy the requirement. As a share of all rows they are the lower bound of the generalization portion.
--
-- value      the attribute's column of the star at that level
-- merged     frequency/counted, and one privacy/merged per sensitive attribute that is carried
-- violating  the condition that a group violates the requirement
-- star       the star
--
-- One row.
select cast(coalesce(sum(frequency), 0) as bigint) as rows
from (
    select
        {merged}
    from {star}
    group by {value}
)
where {violating}
