-- The frequency of a tuple's value of one attribute.
--
-- marginal   its witness/marginal
-- alias      a name for it
-- code       the attribute's leaf column
join (
{marginal}
) as {alias}
    on {alias}.code = tuples.{code}
