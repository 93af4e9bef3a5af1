-- How many leaves each hierarchy has: a value is numbered by its level times that, plus its code.
--
-- generalization  the generalization relation
--
-- One row per attribute, in order.
select count(*) as leaves
from {generalization}
where level = 0
group by dimension
order by dimension
