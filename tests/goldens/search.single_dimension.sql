-- search/single_dimension/cut
select
    unnest($dimensions) as dimension,
    unnest($codes) as code,
    unnest($levels) as level

-- search/single_dimension/cut#members
select
    "ancestors"
from "table"
order by code
