-- Where the tuples of the star first coincide with each witness: the vector of levels, as the number of its node.
--
-- star       the star
-- witnesses  the witnesses
-- steps      one witness/step per attribute and level below its top, added up
--
-- One row per witness and node: the rows that coincide with the witness there first.
select
    witness.witness,
    {steps} as node,
    cast(sum(tuples.frequency) as bigint) as frequency
from {witnesses} as witness
cross join {star} as tuples
group by all
