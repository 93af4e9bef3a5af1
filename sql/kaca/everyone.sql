-- Every seeker with every other class.
--
-- asking   one kaca/asking per attribute, by the path's name
-- seekers  the seekers
-- classes  the classes
(
    select * replace ({asking})
    from {seekers}
) as seeker
join {classes} as other
    on other.id <> seeker.id
