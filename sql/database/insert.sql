-- The rows of a release into the table of the one before, which keeps its grants and what depends on it; or any rows
-- into a table that is there.
--
-- table    the release
-- release  release/recode or release/recode_locally
insert into {table}
{release}
