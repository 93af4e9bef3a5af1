-- Spark's description of a view.
--
-- view  the view
--
-- One row per fact: its name and its content.
describe table extended {view}

-- section: schemas
-- The schemas of the catalog.
--
-- One row per schema.
show schemas

-- section: tables
-- The tables of a schema, including views.
--
-- schema  the schema
--
-- One row per table or view: the schema, the name, and true if it exists only in this session.
show tables in {schema}

-- section: views
-- The views of a schema.
--
-- schema  the schema
--
-- One row per view: the schema, the name, and true if it exists only in this session.
show views in {schema}

-- section: show
-- Publish a table under a new name: create a view of it.
--
-- view   the name of the release
-- table  the table with the rows, under a name of the run
create view {view} as
select *
from {table}

-- section: show_another
-- Publish a table in place of the previous one: the view shows the new table from then on. This is one change in the
-- catalog; create or replace view would drop the view first.
--
-- view   the name of the release
-- table  the table with the rows, under a name of the run
alter view {view} as
select *
from {table}

-- section: note
-- Note the publication of a table, so that the ledger keeps its entry when it is no longer shown.
--
-- table  the table
alter table {table} set tblproperties ('starcloak.published' = 'true')

-- section: noted
-- Notes on a table.
--
-- table  the table
--
-- One row per property.
show tblproperties {table}
