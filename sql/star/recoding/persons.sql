-- Conditions for a row of the base frequency set to have a person with released rows.

-- section: not_suppressed
-- Condition for a person that is not among the suppressed ones.
--
-- suppressed  the suppressed persons: person_1, person_2, …
-- match       one star/recoding/recode#match per column of persons
not exists (
    select 1
    from {suppressed}
    where {match}
)

-- section: mapped
-- Condition for a person with rows in a mapping of released rows.
--
-- mapping  star/recoding/by_person
-- match    one star/recoding/recode#match per column of persons
exists (
    select 1
    from {mapping}
    where {match}
)
