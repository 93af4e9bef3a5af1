-- A recoding of persons as a mapping: the levels of each person's tuples, with columns that identify persons.
--
-- told      the columns that identify persons, as person_1, person_2, …
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- recoding  the recoding, with persons by their numbers
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
