-- The source, for a script: only the columns of the job.
--
-- source  source/source
create or replace temporary view source as
{source}
