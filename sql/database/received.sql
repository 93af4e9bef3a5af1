-- Rows that come in from a database, in the types of the working store.
--
-- columns   one database/typed per column
-- incoming  the stream
--
-- One row per row of the stream.
select
    {columns}
from {incoming}
