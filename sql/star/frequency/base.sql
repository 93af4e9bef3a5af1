-- The base frequency set of the source. No other statement reads every row before the release.
--
-- values    the quasi-identifiers, as value_1, value_2, …, and the class column and sensitive columns, if needed
-- checksum  store/checksum of the kept cells; 0 without kept columns
-- source    the source
-- columns   the source's columns in values, for the GROUP BY
--
-- One row per distinct combination of values; NULL counts as a value. sum(frequency) is the source's number of rows.
select
    {values},
    {checksum} as checksum,
    count(*) as frequency
from {source} as source
group by {columns}
