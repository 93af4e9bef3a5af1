-- search/lattice/edges
with candidates as (
    select
        p.id as start_id,
        q.id as end_id
    from "nodes" as p
    join "edges" as e on e.start_id = p.parent_1
    join "edges" as f on f.start_id = p.parent_2
    join "nodes" as q on q.parent_1 = e.end_id and q.parent_2 = f.end_id
    union
    select
        p.id,
        q.id
    from "nodes" as p
    join "edges" as e on e.start_id = p.parent_1
    join "nodes" as q on q.parent_1 = e.end_id and q.parent_2 = p.parent_2
    union
    select
        p.id,
        q.id
    from "nodes" as p
    join "edges" as f on f.start_id = p.parent_2
    join "nodes" as q on q.parent_2 = f.end_id and q.parent_1 = p.parent_1
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

-- search/lattice/first_graph#attributes
select
    unnest(range(1, len(cast($strides as bigint[])) + 1)) as position,
    unnest(cast($strides as bigint[])) as stride,
    unnest(cast($heights as integer[])) as height

-- search/lattice/first_graph#nodes
select
    cast(row_number() over (order by dimension, level) as integer) as id,
    [dimension] as dimensions,
    [level] as levels,
    cast(level as integer) as height,
    cast(null as integer) as parent_1,
    cast(null as integer) as parent_2
from (
    select distinct
        dimension,
        level
    from "generalization"
)

-- search/lattice/first_graph#edges
select
    specific.id as start_id,
    general.id as end_id
from "nodes" as specific
join "nodes" as general
    on general.dimensions = specific.dimensions
    and general.height = specific.height + 1

-- search/lattice/join
select
    cast($last_id + row_number() over (
        order by list_append(p.dimensions, q.dimensions[-1]), list_append(p.levels, q.levels[-1])
    ) as integer) as id,
    list_append(p.dimensions, q.dimensions[-1]) as dimensions,
    list_append(p.levels, q.levels[-1]) as levels,
    cast(p.height + q.levels[-1] as integer) as height,
    p.id as parent_1,
    q.id as parent_2
from "survivors" as p
join "survivors" as q
    on p.dimensions[:-2] = q.dimensions[:-2]
    and p.levels[:-2] = q.levels[:-2]
    and p.dimensions[-1] < q.dimensions[-1]

-- search/lattice/minimal
select node.id
from "anonymous" as node
anti join (
    select beneath.id + attribute.stride as id
    from "anonymous" as beneath
    join "attributes" as attribute
        on beneath.levels[attribute.position] < attribute.height
) as covered
    on covered.id = node.id
order by
    node.height,
    node.levels

-- search/lattice/nodes
select
    id,
    levels,
    cast(list_sum(levels) as integer) as height
from (
    select
        cast(number as bigint) as id,
        [cast(number // "stride" % "levels" as utinyint)] as levels
    from (
        select *
        from "numbers"
    )
)

-- search/lattice/nodes#level
cast(number // "stride" % "levels" as utinyint)

-- search/lattice/nodes#every
select range as number
from range("size")

-- search/lattice/nodes#marked
select range as number
from range($nodes)
where get_bit(cast(cast($marks as blob) as bit), cast(range as integer)) = 1

-- search/lattice/nodes#numbers
select cast(sum(node.levels[attribute.position] * attribute.stride) as bigint) as number
from "nodes" as node
cross join "attributes" as attribute
group by node.id

-- search/lattice/nodes#single
select cast($number as bigint) as number
where $number is not null

-- search/lattice/nodes#count
select count(*) as nodes
from "nodes"

-- search/lattice/nodes#lowest
select levels
from "nodes"
order by
    height,
    levels
limit $most

-- search/lattice/nodes#extent
select
    min(height) as lowest,
    max(height) as highest,
    max(id) as last_id
from "nodes"

-- search/lattice/nodes#at_height
select id
from (
    select *
    from "nodes"
)
where height = $height
    and id > $after
order by id
limit $page

-- search/lattice/prune
select joined.*
from "joined" as joined
semi join (
    select subset.id
    from (
        select
            id,
            list_concat(dimensions[:position - 1], dimensions[position + 1:]) as dimensions,
            list_concat(levels[:position - 1], levels[position + 1:]) as levels
        from (
            select
                id,
                dimensions,
                levels,
                unnest(range(1, len(dimensions) + 1)) as position
            from "joined"
        )
    ) as subset
    join "survivors" as survivor
        on survivor.dimensions = subset.dimensions
        and survivor.levels = subset.levels
    group by subset.id
    having count(*) = any_value(len(subset.dimensions)) + 1
) as complete
    on complete.id = joined.id

-- search/lattice/queue
select
    node.id as node,
    node.dimensions,
    node.levels,
    arg_min(edge.start_id, (parent.groups, edge.start_id)) filter (where not parent.anonymous) as beneath,
    min(parent.groups) filter (where not parent.anonymous) as groups
from "nodes" as node
left join "edges" as edge
    on edge.end_id = node.id
left join "checked" as parent
    on parent.node = edge.start_id
where node.height = $height
group by all
having (count(edge.start_id) = 0 or bool_or(not parent.anonymous))
    and not coalesce(bool_or(parent.anonymous), false)

-- search/lattice/queue#agenda
select
    queue.node,
    queue.dimensions,
    queue.levels,
    queue.beneath,
    beneath.levels as levels_beneath,
    queue.groups
from "queue" as queue
left join "nodes" as beneath
    on beneath.id = queue.beneath
order by queue.node

-- search/lattice/satisfying
select node.number
from (
    select *
    from "every"
) as node
semi join "anonymous" as "qid"
    on "qid".id = node.number // "stride" % "levels" * "step"

-- search/lattice/satisfying#projected_level
node.number // "stride" % "levels" * "step"

-- search/lattice/satisfying#projection
semi join "anonymous" as "qid"
    on "qid".id = node.number // "stride" % "levels" * "step"

-- search/lattice/super_roots
select
    dimensions,
    list(lowest order by position) as levels,
    any_value(roots) as roots
from (
    select
        dimensions,
        position,
        min(levels[position]) as lowest,
        count(*) as roots
    from (
        select
            dimensions,
            levels,
            unnest(range(1, len(levels) + 1)) as position
        from "nodes" as node
        anti join "edges" as edge
            on edge.end_id = node.id
    )
    group by
        dimensions,
        position
)
group by dimensions
order by dimensions

-- search/lattice/survivors
select node.*
from "nodes" as node
anti join (
    select node
    from "checked"
    where not anonymous
) as violating
    on violating.node = node.id

-- search/lattice/survivors#unchecked
select
    cast(null as utinyint) as iteration,
    cast(null as integer) as node,
    cast(null as boolean) as root,
    cast(null as bigint) as groups,
    cast(null as bigint) as classes,
    cast(null as bigint) as outliers,
    cast(null as boolean) as anonymous
where false

-- search/lattice/survivors#summary
select
    (select count(*) from "nodes") as candidates,
    (select count(*) from "survivors") as anonymous

-- search/lattice/verdict
select
    cast($iteration as utinyint) as iteration,
    queue.node,
    queue.beneath is null as root,
    shortfall.groups,
    shortfall.classes,
    shortfall.outliers,
    shortfall.outliers <= $allowed as anonymous
from "queue" as queue
join (
    select
        node,
        count(*) as groups,
        count(*) filter (where not "violating") as classes,
        cast(coalesce(sum(greatest(frequency, 1)) filter (where "violating"), 0) as bigint) as outliers
    from "frequency"
    group by node
) as shortfall
    on shortfall.node = queue.node

-- search/lattice/verdict#batch
select
    node,
    outliers <= $allowed as anonymous
from (
    select
        node,
        count(*) as groups,
        count(*) filter (where not "violating") as classes,
        cast(coalesce(sum(greatest(frequency, 1)) filter (where "violating"), 0) as bigint) as outliers
    from "frequency"
    group by node
)

-- search/lattice/whole
select
    id,
    range(1, len(levels) + 1) as dimensions,
    levels,
    height
from (
    select *
    from "nodes"
)

-- search/lattice/whole#raises
select
    node.id as start_id,
    node.id + attribute.stride as end_id
from "nodes" as node
join "attributes" as attribute
    on node.levels[attribute.position] < attribute.height
