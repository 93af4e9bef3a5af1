-- Distances of seekers (small classes) from other classes (Definition 10). A row's climb is the distance from its
-- present values to the closest common generalization. The distance is the seeker's rows times their climb, plus the
-- other class's rows times their climb: all of its rows, or only a stub (Definition 14).
--
-- given   #given, or #given_whole if no class is split
-- common  the distance of the closest common generalization from the leaves
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
-- Number of rows merged with a seeker: all rows of the other class, or a stub of k minus the seeker's rows.
--
-- k  the smallest allowed number of rows of a class
case
    when frequency + other_frequency - {k} < {k} then other_frequency
    else {k} - frequency
end

-- section: given_whole
-- Number of rows merged with a seeker: all rows of the other class.
other_frequency

-- section: given_least
-- Least number of rows merged with a seeker, if earlier mergers may have added rows to the other class.
--
-- k  the smallest allowed number of rows of a class
least(other_frequency, {k} - frequency)

-- section: pairs
-- All pairs of a seeker and a class.
--
-- seekers  the seekers: the small classes to be merged (#small)
-- classes  the equivalence classes so far
{seekers} as seeker
cross join {classes} as other

-- section: later
-- Pairs of a seeker and a class formed by an earlier merger, of a lower rank than the seeker's merger.
--
-- mergers  the accepted mergers of a round (search/kaca/accepted)
-- formed   search/kaca/formed of the mergers
-- classes  the equivalence classes so far
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
-- The small classes: classes that violate the requirement.
--
-- violating  the condition for a violating class
-- classes    the equivalence classes so far
--
-- One row per small class.
(
    select *
    from {classes}
    where {violating}
)
