-- The source: only the columns needed by the job, for the release or for the requirement, never identifiers.
--
-- columns  quasi-identifiers, sensitive and kept columns
-- origin   the statement with the original rows and all columns
--
-- One row per row of the origin.
select
    {columns}
from (
    {origin}
) as origin
