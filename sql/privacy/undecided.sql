-- The classes too close to the bound of β-likeness or δ-disclosure for a decision by floating point: they neither
-- violate nor satisfy the bound for sure. The caller decides them exactly.
--
-- counted  privacy/beta_likeness/recount or privacy/delta_disclosure/recount
--
-- One row per group of classes with equal counts. near has a pair per close value, its rows in the class and in the
-- table; size is the rows of the class, whole the rows of the table, classes the number of such classes, and rows the
-- number of all their rows.
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
