-- A class's block at a node: the classes with the same ancestors there. A value above the node's level is its own.
--
-- keys  one kaca/key per attribute that the node tells apart
min(id) over (partition by {keys})
