-- Publish a script's release as a table; one that is there already stays. Nobody sees a part of it: it is renamed when
-- it is whole, and gone where that fails.
--
-- table   its name
-- staged  its name until then
-- rows    the checked release
begin not atomic
    declare exit handler for sqlexception
    begin
        drop table if exists {staged};
        resignal;
    end;
    create or replace table {staged} as
{rows};
    rename table {staged} to {table};
end
