-- The meeting value of any two values of a hierarchy: their closest common generalization (Li, Wong, Fu, Pei 2008,
-- Definition 8), the value above both at the lowest level. Also its level, and its distance from the leaves
-- (Definition 5).
--
-- levels   one #at per level, the leaves' first, with the level
-- commons  one #at per level, with the value there
-- climbed  one #at per level, with the level's distance from the leaves
-- numbers  the number of possible value numbers
-- values   search/kaca/values
--
-- One row per pair of values.
select
    one.value as one,
    other.value as other,
    one.value * {numbers} + other.value as pair,
    case
        {levels}
    end as level,
    case
        {commons}
    end as value,
    cast(
        case
            {climbed}
        end as bigint
    ) as climbed
from {values} as one
cross join {values} as other

-- section: at
-- A branch for two values with the same value above both at a level.
--
-- above    the column of the values at the level
-- outcome  the result of the branch
when one.{above} = other.{above} then {outcome}

-- section: by_pair
-- Join a seeker and another class with the meeting value of their values, in a table of all pairs of values.
--
-- meetings  search/kaca/meetings, as a table
-- met       the alias of the joined meetings
-- value     the attribute's column of the classes, with numbers of values
-- numbers   the number of possible value numbers
join {meetings} as {met}
    on {met}.pair = seeker.{value} * {numbers} + other.{value}

-- section: by_both
-- Join a seeker and another class with the meeting value of their values, computed by a view: the hierarchy has too
-- many values for a table of all pairs.
--
-- meetings  search/kaca/meetings, as a view
-- met       the alias of the joined meetings
-- value     the attribute's column of the classes, with numbers of values
join {meetings} as {met}
    on {met}.one = seeker.{value}
    and {met}.other = other.{value}
