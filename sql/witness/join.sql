-- The frequency of a tuple's value of one attribute.
--
-- marginal  its witness/marginal
-- alone     a name for it
-- code      the attribute's leaf column
join (
{marginal}
) as {alone}
    on {alone}.code = tuples.{code}
