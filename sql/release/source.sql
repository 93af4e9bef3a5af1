-- The source, for a script: only the columns of the job.
--
-- name    its name
-- source  source/source
create or replace temporary view {name} as
{source}
