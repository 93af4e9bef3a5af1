-- How many rows have each value of a sensitive attribute.
--
-- codes  privacy/codes, which goes by its name
-- coded  privacy/coded
-- base   the base frequency set
--
-- One row per value, in the order of the numbers; the missing value, where there is one, is the last.
select
    {codes}.code,
    cast({codes}.value as varchar) as text,
    cast(sum(base.frequency) as bigint) as rows
from {base} as base
{coded}
group by
    {codes}.code,
    {codes}.value
order by {codes}.code nulls last
