-- search/objective/average_class_size
select
    node,
    ($rows - $allowed) / groups / $k as bound,
    coalesce(($rows - outliers) / nullif(classes, 0) / $k, cast('infinity' as double)) as cost
from (
    select
        node,
        count(*) as groups,
        count(*) filter (where not "violating") as classes,
        cast(coalesce(sum(frequency) filter (where "violating"), 0) as bigint) as outliers,
        sum(cast(frequency as hugeint) * frequency) as squares,
        coalesce(sum(cast(frequency as hugeint) * frequency) filter (where not "violating"), 0) as released_squares
    from "frequency"
    group by node
)

-- search/objective/best
select
    node.id,
    node.levels,
    round(scored.cost, 12) as cost
from "scored" as scored
join "nodes" as node
    on node.id = scored.node
order by
    round(scored.cost, 12),
    node.height,
    node.levels
limit 1

-- search/objective/candidates
select
    id,
    levels
from "nodes"
where coalesce(list_contains(cast($ids as bigint[]), id), true)

-- search/objective/discernibility
select
    node,
    cast(squares as double) as bound,
    cast(released_squares + cast(outliers as hugeint) * $rows as double) as cost
from (
    select
        node,
        count(*) as groups,
        count(*) filter (where not "violating") as classes,
        cast(coalesce(sum(frequency) filter (where "violating"), 0) as bigint) as outliers,
        sum(cast(frequency as hugeint) * frequency) as squares,
        coalesce(sum(cast(frequency as hugeint) * frequency) filter (where not "violating"), 0) as released_squares
    from "frequency"
    group by node
)

-- search/objective/frontier
select
    node.id,
    node.levels
from "nodes" as node
semi join (
    select beneath.id + attribute.stride as id
    from "nodes" as beneath
    semi join (
        select node
        from "scored"
        where round(bound, 12) < $best
    ) as promising
        on promising.node = beneath.id
    join "attributes" as attribute
        on beneath.levels[attribute.position] < attribute.height
) as above
    on above.id = node.id
anti join "scored" as done
    on done.node = node.id

-- search/objective/loss
select
    below.node,
    sum(below.frequency * ("loss" / "attributes")) / $rows as bound,
    sum(case when "violating" then below.frequency else below.frequency * ("loss" / "attributes") end) / $rows as cost
from "frequency" as below
join "generalization" as "climb"
    on "climb".dimension = 1
    and "climb".level = "level"
    and "climb".code = below."value"
where below.node = "node"
group by below.node

-- search/objective/loss#lost
"loss" / "attributes"

-- search/objective/precision
select
    score.node,
    list_dot_product(cast(nodes.levels as double[]), cast($weights as double[])) as bound,
    (
        ($rows - score.outliers) * list_dot_product(cast(nodes.levels as double[]), cast($weights as double[]))
        + score.outliers
    ) / $rows as cost
from (
    select
        node,
        count(*) as groups,
        count(*) filter (where not "violating") as classes,
        cast(coalesce(sum(frequency) filter (where "violating"), 0) as bigint) as outliers,
        sum(cast(frequency as hugeint) * frequency) as squares,
        coalesce(sum(cast(frequency as hugeint) * frequency) filter (where not "violating"), 0) as released_squares
    from "frequency"
    group by node
) as score
join "nodes" as nodes
    on nodes.id = score.node

-- search/objective/score
select
    node,
    count(*) as groups,
    count(*) filter (where not "violating") as classes,
    cast(coalesce(sum(frequency) filter (where "violating"), 0) as bigint) as outliers,
    sum(cast(frequency as hugeint) * frequency) as squares,
    coalesce(sum(cast(frequency as hugeint) * frequency) filter (where not "violating"), 0) as released_squares
from "frequency"
group by node

-- search/objective/unscored
select
    cast(null as bigint) as node,
    cast(null as double) as bound,
    cast(null as double) as cost
where false

-- search/objective/weighted_height
select
    id,
    levels
from "anonymous"
order by
    round(list_dot_product(cast(levels as double[]), cast($weights as double[])), 12),
    height,
    levels
limit 1
