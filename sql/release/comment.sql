-- Mark a table as a release, so that a later run may replace it.
--
-- table  its name
-- mark   the mark
comment on table {table} is {mark}
