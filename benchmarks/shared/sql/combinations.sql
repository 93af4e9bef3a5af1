-- The GROUP BY over the quasi-identifiers, as anybody would write it, with nothing sent to the client but its size.
--
-- quasi_identifiers  the columns
-- source             the source
--
-- One row.
select count(*) as combinations
from (
    select
        {quasi_identifiers},
        count(*) as frequency
    from {source}
    group by {quasi_identifiers}
) as base
