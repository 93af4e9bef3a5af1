-- section: once
-- The persons of each class of a script's release, each once, or once for each value of a sensitive attribute.
--
-- columns  the generalized columns, the sensitive one if there is one, and those that tell persons apart
-- release  the release, which tells them apart
(
    select distinct
        {columns}
    from {release}
) as persons_once

-- section: nobody
-- How many rows of a class have no person.
--
-- missing  one privacy/persons/codes#missing per column that tells persons apart
sum(case when {missing} then 1 else 0 end)

-- section: violated
-- That a script's release has a class of too few persons, or a row without one.
--
-- nobody  #nobody, by its name
-- k       the fewest allowed
coalesce(min(size), {k}) < {k} or coalesce(max({nobody}), 0) > 0
