-- The frequency sets of many nodes, each rolled up from a frequency set in which one attribute is at a lower level.
--
-- keys    one #raised per part of the key, as key_1, key_2, …
-- merged  star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- code    #code, or #code_of_part if the key has several parts (columns)
-- below   frequency sets: node, key_1, key_2, …, frequency, and carried columns
-- rises   the nodes: node, beneath, and for the raised attribute part, shift, mask and rung (number of its first climb)
-- which   #step or #range, the condition for the rolled-up nodes
-- climbs  star/rollups/packed#climbs
--
-- One row per node and value group. sum(frequency) of a node is the same as for the node beneath. A subquery reads the
-- code from the key: in a single query, the planner may first build all pairs of rises and climbs.
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
-- A key column at the node.
--
-- key    the key column at the node beneath
-- raise  the climb's column with the amount added to this key column
risen.{key} + climb.{raise}

-- section: code
-- The code of the raised attribute, read from the only key column.
((below.key_1 >> rise.shift) & rise.mask)

-- section: code_of_part
-- The code of the raised attribute, read from the key column with this attribute.
--
-- keys  all key columns
(([{keys}][rise.part] >> rise.shift) & rise.mask)

-- section: step
-- Condition for all nodes of one step.
--
-- step  the number of the step
where rise.step = {step}

-- section: range
-- Condition for the nodes of one step with numbers in a range.
--
-- step   the number of the step
-- first  the first node's number
-- last   the last node's number
where rise.step = {step}
    and rise.node between {first} and {last}

-- section: steps
-- The rollup steps from counted frequency sets to the frequency sets of target nodes: one step per attribute.
--
-- targets  the target nodes: node, source (a node beneath with a counted frequency set)
-- places   star/rollups/packed#places
--
-- One row per step and node. The attributes of this step and of earlier steps are at the levels of a target; all other
-- attributes are at the levels of the target's source: the earlier an attribute's step, the larger its stride. Targets
-- with equal levels of the first attributes share the steps for these attributes. A node reached from two nodes beneath
-- uses one of them: with both, its rows would count twice.
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
        target.node - target.node % stride + target.source % stride as node
    from {targets} as target
    cross join {places} as place
)
group by
    step,
    node

-- section: ranges
-- Ranges of node numbers, each rolled up by one statement.
--
-- $step    the number of the step
-- $budget  about the largest number of rows read by one statement
-- rises    the nodes: step, node, beneath
-- below    the frequency sets of the nodes beneath
--
-- One row per range, in order. A range of a single node may read more rows.
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
