-- The classes for which floating point cannot decide if their shares are near enough to the table's: those that neither
-- violate nor satisfy the limit for sure.
--
-- counted  privacy/beta_likeness/recount or privacy/delta_disclosure/recount
--
-- One row per pairs of rows here and everywhere, and rows of the class and of the table: how many classes have
-- these, and how many rows those have.
select
    near,
    cast(size as bigint) as size,
    cast(whole as bigint) as whole,
    count(*) as classes,
    cast(sum(class_rows) as bigint) as rows
from {counted}
where not far
    and near is not null
group by
    near,
    size,
    whole
