-- A statement in the place of a relation.
--
-- rows  the statement
(
    {rows}
)
