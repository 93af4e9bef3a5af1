-- Mean information loss of a recoding's rows: for each row, the sum of the losses (0 … 1) of its cells.
--
-- losses    the sum of one #loss_of per attribute
-- recoding  a relation with codes, levels and rows
-- shares    one #share per attribute
--
-- One row.
select sum(({losses}) * rows) / sum(rows) as loss
from {recoding} as recoding
{shares}

-- section: loss_of
-- Loss of a cell (0 … 1): the share of the hierarchy's other leaves covered by the cell.
--
-- share  the name of the attribute's share
{share}.loss

-- section: share
-- Join for the loss of an attribute's cells, by their code and level.
--
-- share           the alias of the joined losses
-- generalization  the generalization relation: the ancestors of all members
-- dimension       the attribute's position
-- code            the recoding's column with the attribute's code
-- level           the recoding's column with the attribute's level
join {generalization} as {share}
    on {share}.dimension = {dimension}
    and {share}.code = recoding.{code}
    and {share}.level = recoding.{level}
