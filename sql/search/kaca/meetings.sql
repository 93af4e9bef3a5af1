-- The meeting values of any two values of one hierarchy: their closest common generalization (Li, Wong, Fu, Pei 2008,
-- Definition 8), at the lowest level with one value for both, and its distance from the leaves (Definition 5).
--
-- levels   one #at per level, the leaves' first, with the level
-- commons  one #at per level, with the value there
-- climbed  one #at per level, with how far it is from the leaves
-- numbers  how many numbers values may have
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
-- The outcome for two values with one value at a level.
--
-- above    the column of their values at the level
-- outcome  the outcome
when one.{above} = other.{above} then {outcome}

-- section: by_pair
-- The meeting value of a seeker's value and another class's, by a table of all pairs.
--
-- meetings  the table
-- met       the alias of the joined meetings
-- value     the classes' column
-- numbers   how many numbers values may have
join {meetings} as {met}
    on {met}.pair = seeker.{value} * {numbers} + other.{value}

-- section: by_both
-- The meeting value of a seeker's value and another class's, in a hierarchy with too many values for a table of their
-- pairs: by the values above each of the two.
--
-- meetings  search/kaca/meetings, as a view
-- met       the alias of the joined meetings
-- value     the classes' column
join {meetings} as {met}
    on {met}.one = seeker.{value}
    and {met}.other = other.{value}
