-- A number that goes by the level: how far it is from the leaves (Definition 5), or the bits of a value there.
--
-- numbers  one per level, the leaves first
-- level    the level
([{numbers}])[{level} + 1]
