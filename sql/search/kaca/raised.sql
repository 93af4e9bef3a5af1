-- The final generalization of KACA2 (Algorithm 2, line 7): every value below its attribute's level is raised to it.
--
-- levels   one #level per attribute, as level_1, level_2, …
-- values   one #value per attribute, as value_1, value_2, …, and carried columns
-- climbed  the distance of the new values from the leaves
-- same     value_1, value_2, …
-- classes  the equivalence classes so far
-- joins    one star/recoding/single_dimension#member per attribute
--
-- One row per class: a piece of all its rows, with the target class. Classes with equal new values have the same
-- target.
select
    *,
    min(owner) over (partition by {same}) as target
from (
    select
        class.id as source,
        class.id as owner,
        0 as lower,
        class.frequency as upper,
        {levels},
        {values},
        {climbed} as climbed
    from {classes} as class
    {joins}
)

-- section: level
-- The level of a value after raising it to a level, if it is lower.
--
-- level  the value's level
-- least  the level to raise it to
greatest({level}, {least})

-- section: value
-- The number of a value after raising it to a level, if it is lower.
--
-- level  the value's level
-- least  the level to raise it to
-- value  the value's number
-- above  the number of the value above it at that level
case when {level} < {least} then {above} else {value} end

-- section: far
-- Distance of a level from the leaves (Li, Wong, Fu, Pei 2008, Definition 5).
--
-- numbers  one distance per level, the leaves first
-- level    the level
([{numbers}])[{level} + 1]

-- section: level_rows
-- Distribution of one attribute's values over the levels (Definition 12).
--
-- dimension  the attribute's position
-- level      its level column
-- classes    the equivalence classes so far
--
-- One row per level with values: the number of rows with a value of this level.
select
    {dimension} as dimension,
    {level} as level,
    cast(sum(frequency) as bigint) as rows
from {classes}
group by all

-- section: rare
-- Lemma 4 (Li, Wong, Fu, Pei 2008): the rows whose value of one attribute, generalized globally to one level, is too
-- rare to satisfy the requirement. Their share of all rows is the lower bound of the generalization portion.
--
-- value      the attribute's column of the star at that level
-- merged     star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- violating  the condition for a violating group
-- star       the star: the base frequency set with codes in place of values
--
-- One row.
select cast(coalesce(sum(frequency), 0) as bigint) as rows
from (
    select
        {merged}
    from {star}
    group by {value}
)
where {violating}
