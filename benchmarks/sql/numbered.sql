-- The nine quasi-identifiers of a census, every person with a place to be drawn by.
--
-- census  a relation with Adult's columns
--
-- One row per person, counted from 0. Persons who tie are equal in every column, so the places are the same each time.
select
    row_number() over (
        order by
            age, sex, race, "marital-status", education, "native-country", workclass, occupation, "salary-class"
    ) - 1 as place,
    age,
    sex,
    race,
    "marital-status",
    education,
    "native-country",
    workclass,
    occupation,
    "salary-class"
from {census}
