-- The tuples of each person. Every value is replaced by its codes at all levels of the attribute's dimension table.
--
-- person      the column with the number of a row's person
-- levels      the level columns, such as zip_2, sex_0
-- base        the base frequency set: number of rows per combination of values
-- coded       privacy/persons/codes#coded
-- dimensions  one join with the dimension table per attribute,
--             such as `join "dimension_1" on "dimension_1".value is not distinct from base.value_1`
--
-- One row per person and tuple; all persons have cohort 0. sum(frequency) is the number of rows of the source, and
-- sum(checksum) is the checksum of the kept cells in all rows.
select
    {person} as person,
    cast(0 as bigint) as cohort,
    {levels},
    cast(sum(base.frequency) as bigint) as frequency,
    sum(base.checksum) as checksum
from {base} as base
{coded}
{dimensions}
group by all

-- section: most
-- The largest number of rows of a person.
--
-- visits  privacy/histories/visits
--
-- One row.
select max(rows) as most
from (
    select sum(frequency) as rows
    from {visits}
    group by person
)
