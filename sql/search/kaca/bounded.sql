-- Seekers with blocks of classes, and how near a class of the block may be.
--
-- bound   #bound
-- common  how far the closest common generalizations are from the leaves, at least
-- met     one search/kaca/values#met per word, as met_1, met_2, …
-- rest    how far the seeker is from the leaves by the attributes that the node does not tell apart
-- reach   what is farther than this is not the nearest
-- paired  #coarsest or #finer
--
-- One row per seeker and block.
select
    id,
    block,
    reach,
    {bound} as bound
from (
    select
        *,
        {common} as common
    from (
        select
            seeker.id,
            seeker.frequency,
            seeker.climbed,
            {reach} as reach,
            {rest} as rest,
            other.block,
            other.least_frequency,
            other.most_frequency,
            other.most_climbed,
            {met}
        from {paired}
    )
)

-- section: given
-- How many rows a class of a block gives a seeker, at least: all of them, or a stub of as many as the seeker lacks.
--
-- k  the smallest allowed class
case
    when frequency + most_frequency - {k} < {k} then least_frequency
    else least(least_frequency, {k} - frequency)
end

-- section: given_whole
-- How many rows a class of a block gives a seeker, at least: all of them.
least_frequency

-- section: bound
-- No class of a block is nearer to a seeker than this; of a class it is the distance (Definition 10). That is the
-- seeker's rows times what they climb, plus the rows the class gives, all or a stub (Definition 14), times what those
-- climb; common is how far the closest common generalization is from the leaves, at least.
--
-- given  #given, or #given_whole where no class is split
frequency * (common - climbed) + {given} * greatest(common - most_climbed, 0)

-- section: coarsest
-- Every seeker with every block of the coarsest node, or every class.
--
-- seekers  the seekers
-- blocks   search/kaca/blocks of the coarsest node, or #everyone
{seekers} as seeker
cross join {blocks} as other

-- section: finer
-- The seekers with the blocks of a node beneath those that are left for them.
--
-- left     search/kaca/nearest#near of the node above
-- seekers  the seekers
-- blocks   search/kaca/blocks of the node
{left} as remaining
join {seekers} as seeker using (id)
join {blocks} as other
    on other.parent = remaining.block

-- section: later
-- The next steps, each with what earlier ones form.
--
-- steps    search/kaca/steps
-- formed   search/kaca/formed of the steps
-- classes  the classes
(
    select
        class.*,
        step.rank,
        step.distance
    from {steps} as step
    join {classes} as class using (id)
) as seeker
join (
    select
        *,
        id as block,
        frequency + upper - lower as least_frequency,
        least_frequency as most_frequency,
        climbed as most_climbed
    from {formed}
) as other
    on other.rank < seeker.rank

-- section: everyone
-- Every class as a block of its own.
--
-- values   word_1, …, marks_1, …
-- classes  the classes
--
-- One row per class.
(
    select
        id as block,
        {values},
        frequency as least_frequency,
        frequency as most_frequency,
        climbed as most_climbed
    from {classes}
)

-- section: small
-- The small classes: those that violate the requirement.
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

-- section: choosing
-- The classes that the next steps choose.
--
-- chosen   search/kaca/steps#chosen
-- classes  the classes
--
-- One row per class.
(
    select *
    from {classes}
    semi join {chosen} using (id)
)
