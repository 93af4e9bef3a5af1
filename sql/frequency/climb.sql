-- An attribute climbs to its node's level.
--
-- climb      a name for this use of the dimension
-- dimension  the generalization relation
-- position   the attribute's position among the node's
-- value      the attribute's column of the frequency set beneath
join {dimension} as {climb}
    on {climb}.dimension = nodes.dimensions[{position}]
    and {climb}.level = nodes.levels[{position}]
    and {climb}.code = below.{value}
