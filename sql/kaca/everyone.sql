-- Every seeker with every other class.
--
-- seekers  the seekers
-- classes  the classes
{seekers} as seeker
join {classes} as other
    on other.id <> seeker.id
