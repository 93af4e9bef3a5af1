-- What Spark tells of a view.
--
-- view  the view
--
-- One row per fact: its name, what it is.
describe table extended {view}

-- section: schemas
-- The schemas of the catalog.
--
-- One row per schema.
show schemas

-- section: tables
-- What a schema has, views with it.
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
-- Publish a table where nothing is: a view shows it.
--
-- view   the release
-- table  its rows, under a name of the run's own
create view {view} as
select *
from {table}

-- section: show_another
-- Publish a table in the place of another one: the view shows it from then on. One change in the catalog, where create
-- or replace view would drop the view first.
--
-- view   the release
-- table  its rows, under a name of the run's own
alter view {view} as
select *
from {table}

-- section: note
-- Note down that a table was published, so that the ledger keeps its entry when it is not shown any more.
--
-- table  the table
alter table {table} set tblproperties ('starcloak.published' = 'true')

-- section: noted
-- What is noted down of a table.
--
-- table  the table
--
-- One row per property.
show tblproperties {table}
