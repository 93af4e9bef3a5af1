-- How many of the other leaves the cells of each attribute cover, on average (Iyengar 2002).
--
-- lost            measures/recoding#moved by loss
-- cells           measures/cells of every attribute
-- generalization  the generalization relation
--
-- One row per attribute, in order (0 … 1).
select
    dimension,
    {lost} / sum(frequency) as loss
from {cells} as cells
join {generalization} as generalization using (dimension, level, code)
group by dimension
order by dimension
