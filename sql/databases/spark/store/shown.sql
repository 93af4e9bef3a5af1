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
-- One row per table or view: the schema, its name, whether it is of this session alone.
show tables in {schema}

-- section: views
-- The views of a schema.
--
-- schema  the schema
--
-- One row per view: the schema, its name, whether it is of this session alone.
show views in {schema}

-- section: show
-- Publish a table in an empty place: a view shows it.
--
-- view   the release
-- table  its rows, under a name of the run's own
create view {view} as
select *
from {table}

-- section: show_another
-- Publish a table in the place of another one: the view shows it from then on. One change in the catalog, while create
-- or replace view would drop the view first.
--
-- view   the release
-- table  its rows, under a name of the run's own
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
