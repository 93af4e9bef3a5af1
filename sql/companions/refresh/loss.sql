-- Mean loss of rows by a recoding.
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
-- The share of the other leaves covered by a cell.
--
-- share  the name of the attribute's share
{share}.loss

-- section: share
-- Loss of an attribute's cells.
--
-- share           the alias of the joined losses
-- generalization  the generalization relation
-- dimension       the attribute's position
-- code            its column of the recoding
-- level           another one
join {generalization} as {share}
    on {share}.dimension = {dimension}
    and {share}.code = recoding.{code}
    and {share}.level = recoding.{level}
