-- The frequency set of the quasi-identifiers, as anybody would write it.
--
-- quasi_identifiers  the columns
-- source             the rows: a table, or parquet.sql
--
-- One row per distinct combination.
select
    {quasi_identifiers},
    count(*) as frequency
from {source}
group by all
