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
