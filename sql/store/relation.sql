-- The rows of a table, a view or a registered frame.
--
-- relation  the relation's name
--
-- One row per row of the relation.
select *
from {relation}

-- section: named
-- A query as a relation in a FROM clause, with an alias.
--
-- rows  the query
(
    {rows}
) as query

-- section: nested
-- A statement as a relation in a FROM clause: in parentheses, without an alias.
--
-- rows  the statement
(
    {rows}
)

-- section: columns
-- Some columns of a relation.
--
-- columns   the columns
-- relation  the relation
--
-- One row per row of the relation.
select
    {columns}
from {relation}

-- section: once
-- Distinct rows of some columns.
--
-- columns   the columns
-- relation  the relation
--
-- One row per distinct row.
select distinct
    {columns}
from {relation}

-- section: count
-- Number of rows of a relation.
--
-- relation  the relation
--
-- One row.
select count(*) as rows
from {relation}
