-- Equivalence classes over all quasi-identifiers, each with its number of rows under each QID, that is, of all rows
-- with the same values of the QID's columns. Counted in the table's database.
--
-- groups   one #size per QID, as group_1, group_2, …
-- classes  verify/sizes
--
-- One row per class.
select
    *,
    {groups}
from (
    {classes}
) as classes

-- section: size
-- Number of rows that agree with a class in the columns of a QID.
--
-- values  the QID's columns of the classes
cast(sum(size) over (partition by {values}) as bigint)
