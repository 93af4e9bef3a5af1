-- The source: the columns of the job that may be released or that decide, and no other. Identifiers never enter.
--
-- columns  quasi-identifiers, sensitive and kept columns
-- origin   the statement with the rows
--
-- One row per row of the origin.
select
    {columns}
from (
    {origin}
) as origin
