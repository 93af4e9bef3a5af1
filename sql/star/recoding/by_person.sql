-- A recoding of persons as a mapping: where each tuple of a person goes, whom columns tell apart.
--
-- told      the columns that tell them apart, as person_1, person_2, …
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- recoding  the recoding, which has persons by their numbers
-- persons   privacy/persons/codes
--
-- One row per person and tuple that are not left out.
select
    {told},
    {codes},
    {levels}
from {recoding} as recoding
join {persons} as codes
    on codes.code = recoding.person
where not recoding.suppressed
