-- The rows of the star by the node at which they first coincide with each of some tuples. A tuple's value group at a
-- node has the rows that coincide with it there or beneath.
--
-- cell  one #first per attribute, one added to the other: the node's number
-- star  the star
-- rare  #rare
--
-- One row per witness and node.
select
    rare.witness,
    cast({cell} as bigint) as cell,
    cast(sum(star.frequency) as bigint) as frequency
from {star} as star
cross join {rare} as rare
group by
    rare.witness,
    cell

-- section: first
-- The lowest level of an attribute at which a tuple coincides with a witness, times what a level counts in a node's
-- number.
--
-- levels  one #at_level per level but the top, where all coincide
-- top     the top
-- stride  what a level counts
case {levels} else {top} end * {stride}

-- section: at_level
-- A tuple and a witness coincide at a level.
--
-- column  the attribute's column at the level
-- level   the level
when star.{column} = rare.{column} then {level}

-- section: nowhere
-- The level of an attribute that has no other.
0

-- section: rare
-- Some of the tuples that violate the requirement by themselves, spread evenly over them.
--
-- $most      about how many, at most
-- levels     the level columns of all attributes
-- leaves     their leaf columns
-- star       the star
-- violating  the condition that a tuple's rows violate the requirement
--
-- One row per tuple.
select
    row_number() over (order by {leaves}) as witness,
    {levels}
from {star}
where {violating}
qualify (row_number() over (order by {leaves}) - 1) % greatest(1, count(*) over () // $most) = 0
