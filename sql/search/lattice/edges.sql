-- Edge generation (section 3.1.2): the direct generalizations among the nodes of C, from the edges of the iteration
-- before.
--
-- nodes  C of this iteration: candidate nodes, each with the two nodes it was joined from
-- edges  E of the previous iteration: its direct generalizations
--
-- One row per edge. Implied generalizations, with another candidate node between start and end, are removed by except.
with candidates as (
    select
        p.id as start_id,
        q.id as end_id
    from {nodes} as p
    join {edges} as e on e.start_id = p.parent_1
    join {edges} as f on f.start_id = p.parent_2
    join {nodes} as q on q.parent_1 = e.end_id and q.parent_2 = f.end_id
    union
    select
        p.id,
        q.id
    from {nodes} as p
    join {edges} as e on e.start_id = p.parent_1
    join {nodes} as q on q.parent_1 = e.end_id and q.parent_2 = p.parent_2
    union
    select
        p.id,
        q.id
    from {nodes} as p
    join {edges} as f on f.start_id = p.parent_2
    join {nodes} as q on q.parent_2 = f.end_id and q.parent_1 = p.parent_1
)
select
    start_id,
    end_id
from candidates
except
select
    first.start_id,
    second.end_id
from candidates as first
join candidates as second
    on second.start_id = first.end_id
