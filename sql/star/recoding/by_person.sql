-- A recoding by persons as a mapping: the levels of each person's tuples, with the columns that identify the person.
--
-- told      the columns that identify persons, as person_1, person_2, …
-- codes     code_1, code_2, …: the leaves of the tuple
-- levels    level_1, level_2, …: the levels of the tuple's cells
-- recoding  the recoding, with the number of the person in the column person
-- persons   privacy/persons/codes
--
-- One row per person and tuple that are not suppressed.
select
    {told},
    {codes},
    {levels}
from {recoding} as recoding
join {persons} as codes
    on codes.code = recoding.person
where not recoding.suppressed
