-- Loss: the share of the other leaves that a cell's value covers, averaged over all cells; those of a suppressed row
-- count as 1 (Iyengar 2002, the reference [11] of LeFevre, DeWitt, Ramakrishnan 2005). A value only covers more upward,
-- so the loss without suppression is a bound.
--
-- $rows      rows of the source
-- violating  the condition that a value group violates the requirement
-- node       the node's number
-- frequency  frequency sets: node, value_1, value_2, …, frequency
-- lost       one #lost per attribute, added up
-- climbs     one frequency/climb per attribute, to the node's own level
--
-- One row.
select
    below.node,
    sum(below.frequency * ({lost})) / $rows as bound,
    sum(case when {violating} then below.frequency else below.frequency * ({lost}) end) / $rows as cost
from {frequency} as below
{climbs}
where below.node = {node}
group by below.node

-- section: lost
-- What one attribute adds to the loss of a value group.
--
-- loss        the loss of its value
-- attributes  how many attributes there are
{loss} / {attributes}
