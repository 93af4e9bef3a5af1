-- Edge generation (section 3.1.2): the direct generalizations among the nodes of C, in which one attribute rises by one
-- level.
--
-- nodes   C of this iteration: the candidate nodes
-- places  search/lattice/first_graph#places
--
-- One row per edge. The paper generates them from the edges of the iteration before, and removes the implied ones. The
-- result is the same: all generalizations of a candidate node over its attributes are candidate nodes.
select
    node.id as start_id,
    general.id as end_id
from (
    select
        id,
        unnest(dimensions) as dimension
    from {nodes}
) as node
join {places} as place using (dimension)
join {nodes} as general
    on general.id = node.id + place.digit
