-- E1: each domain and its direct generalization.
--
-- nodes  C1
--
-- One row per edge.
select
    specific.id as start_id,
    general.id as end_id
from {nodes} as specific
join {nodes} as general
    on general.dimensions = specific.dimensions
    and general.height = specific.height + 1
