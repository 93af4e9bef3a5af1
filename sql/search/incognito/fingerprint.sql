-- A relation's fingerprint: two relations of equal columns, by name and type, and equal rows, in whatever order, have
-- the same one. The rows alone are not enough: two sensitive attributes may tell the same rows apart.
--
-- part      a number for the relation among others
-- relation  the relation
--
-- One row: how many rows there are, and the sums of two hashes of each. DuckDB's hash may change with its version;
-- then nothing fits, and a cube is built again.
select
    {part} as part,
    count(*) as rows,
    cast(coalesce(sum(hash(member, typeof(member), 1)), 0) as hugeint) as sum_1,
    cast(coalesce(sum(hash(member, typeof(member), 2)), 0) as hugeint) as sum_2
from {relation} as member
