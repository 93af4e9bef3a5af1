-- The classes, each with its block at every node of the rollup index.
--
-- blocks   one kaca/block per node, as block_1, block_2, …, the finest first
-- classes  the classes
--
-- One row per class.
select
    *,
    {blocks}
from {classes}
