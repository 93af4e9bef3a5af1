-- The base frequency set: compress. The one statement that reads every row before the release does.
--
-- values    the quasi-identifiers, as value_1, value_2, …, and the class where it is told apart
-- checksum  store/checksum of the kept cells; 0 where there are none
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
