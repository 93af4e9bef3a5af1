-- Precision lost: the levels climbed as a share of the hierarchies' heights, averaged over all cells; those of a
-- suppressed row count as climbed to the top. It is the distortion ratio with uniform weights. Levels only rise upward.
--
-- $rows     rows of the source
-- $weights  one per attribute: 1 / (attributes * height)
-- nodes     id and levels of the nodes
-- score     search/objective/score
--
-- One row per node.
select
    score.node,
    list_dot_product(cast(nodes.levels as double[]), cast($weights as double[])) as bound,
    (
        ($rows - score.outliers) * list_dot_product(cast(nodes.levels as double[]), cast($weights as double[]))
        + score.outliers
    ) / $rows as cost
from (
    {score}
) as score
join {nodes} as nodes
    on nodes.id = score.node
