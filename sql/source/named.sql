-- A query as a relation.
--
-- rows  the query
(
    {rows}
) as query
