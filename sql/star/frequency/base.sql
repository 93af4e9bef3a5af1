-- The base frequency set: compress. The only statement that reads every row before the release.
--
-- values    the quasi-identifiers, as value_1, value_2, …, and the class if it is distinguished
-- checksum  store/checksum of the kept cells; 0 without any
-- source    the source
-- columns   the values' columns of it
--
-- One row per distinct combination; a missing value is a value. sum(frequency) is the number of rows.
select
    {values},
    {checksum} as checksum,
    count(*) as frequency
from {source} as source
group by {columns}
