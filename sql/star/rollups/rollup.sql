-- The frequency sets of many nodes, each rolled up from a frequency set in which one attribute is at a lower level.
--
-- keys    one #raised per part of the key, as key_1, key_2, …
-- merged  star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- code    #code, or #code_of_part if the key has several parts
-- below   frequency sets: node, key_1, key_2, …, frequency, and carried columns
-- rises   the nodes: node, beneath, and of the raised attribute part, shift, mask and rung (its first climb)
-- which   #step or #range: some of the rises
-- climbs  star/rollups/packed#climbs
--
-- One row per node and value group. sum(frequency) of a node is that of the node beneath. The code is read from the key
-- in a query of its own: else the planner may pair all rises with all climbs first.
select
    risen.node,
    {keys},
    {merged}
from (
    select
        below.* exclude (node),
        rise.node,
        rise.rung + {code} as climb
    from {below} as below
    join {rises} as rise
        on rise.beneath = below.node
    {which}
) as risen
join {climbs} as climb using (climb)
group by all

-- section: raised
-- A part of the key at the node.
--
-- key    the part of the node beneath
-- raise  the amount of the climb
risen.{key} + climb.{raise}

-- section: code
-- The code of the rising attribute.
((below.key_1 >> rise.shift) & rise.mask)

-- section: code_of_part
-- The code of the rising attribute, in its part of the key.
--
-- keys  the parts
(([{keys}][rise.part] >> rise.shift) & rise.mask)

-- section: step
-- Only the rises of one step.
--
-- step  the step
where rise.step = {step}

-- section: range
-- Only the rises of one step to some of the nodes.
--
-- step   the step
-- first  the first node's number
-- last   the last node's number
where rise.step = {step}
    and rise.node between {first} and {last}

-- section: steps
-- The steps from the frequency sets at hand to those of other nodes: one attribute after the other.
--
-- targets  the nodes: node, source (a node beneath at hand)
-- places   star/rollups/packed#places
--
-- One row per step and node: the attributes of this step and of earlier steps are at the level of a target, the others
-- at that of its source. Targets that agree in the first attributes share these steps. A node that is reached from two
-- nodes beneath takes one of them: from both, its rows would count twice.
select
    step,
    node,
    min(node - risen) as beneath,
    any_value(part) as part,
    any_value(shift) as shift,
    any_value(mask) as mask,
    any_value(rung) as rung
from (
    select
        place.*,
        place.offset + target.node // stride % levels * place.width as rung,
        (target.node // stride % levels - target.source // stride % levels) * stride as risen,
        target.source + sum((target.node // stride % levels - target.source // stride % levels) * stride) over (
            partition by
                target.node,
                target.source
            order by step
        ) as node
    from {targets} as target
    cross join {places} as place
)
group by
    step,
    node

-- section: ranges
-- Ranges of nodes whose frequency sets one statement rolls up.
--
-- $step    the step
-- $budget  how many rows a statement reads
-- rises    the nodes: step, node, beneath
-- below    frequency sets
--
-- One row per range, in order. A range of one node may read more.
select
    min(node) as first,
    max(node) as last
from (
    select
        rise.node,
        sum(sizes.groups) over (order by rise.node) // $budget as batch
    from {rises} as rise
    join (
        select
            node,
            count(*) as groups
        from {below}
        group by node
    ) as sizes
        on sizes.node = rise.beneath
    where rise.step = $step
)
group by batch
order by batch
