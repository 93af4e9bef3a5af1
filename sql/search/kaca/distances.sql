-- Seekers with other classes, and their distance (Definition 10): the seeker's rows times their climb, plus the rows
-- given by the other, all or a stub (Definition 14), times their climb.
--
-- given   #given, or #given_whole if no class is split
-- common  how far the closest common generalizations are from the leaves
-- paired  #pairs or #later
-- joins   one search/kaca/meetings#by_pair per attribute, or one search/kaca/meetings#by_both
--
-- One row per seeker and other class.
select
    id,
    partner,
    frequency * (common - climbed) + {given} * (common - other_climbed) as distance
from (
    select
        seeker.id,
        seeker.frequency,
        seeker.climbed,
        other.id as partner,
        other.frequency as other_frequency,
        other.climbed as other_climbed,
        {common} as common
    from {paired}
    {joins}
)

-- section: given
-- Number of rows that a class gives a seeker: all of them, or a stub of as many as the seeker lacks.
--
-- k  the smallest allowed class
case
    when frequency + other_frequency - {k} < {k} then other_frequency
    else {k} - frequency
end

-- section: given_whole
-- Number of rows that a class gives a seeker: all of them.
other_frequency

-- section: given_least
-- Least number of rows that a class gives a seeker, if it has further ones by then.
--
-- k  the smallest allowed class
least(other_frequency, {k} - frequency)

-- section: pairs
-- Every seeker with every class.
--
-- seekers  the seekers
-- classes  the classes
{seekers} as seeker
cross join {classes} as other

-- section: later
-- Participants of later mergers, each with the classes formed by earlier ones.
--
-- mergers  the mergers
-- formed   search/kaca/formed of the mergers
-- classes  the classes
(
    select
        class.*,
        merger.rank
    from {mergers} as merger
    join {classes} as class using (id)
) as seeker
join (
    select * replace (frequency + upper - lower as frequency)
    from {formed}
) as other
    on other.rank < seeker.rank

-- section: small
-- The small classes: those violating the requirement.
--
-- violating  the condition that a class does
-- classes    the classes
--
-- One row per small class.
(
    select *
    from {classes}
    where {violating}
)
