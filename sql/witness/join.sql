-- The frequency of a tuple's value of one attribute.
--
-- marginals  one witness/marginal per attribute
-- alone      a name for this use of them
-- dimension  the attribute's position in the quasi-identifier, from 1
-- code       the attribute's leaf column
join {marginals} as {alone}
    on {alone}.dimension = {dimension}
    and {alone}.code = tuples.{code}
