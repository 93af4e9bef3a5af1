-- Rows received from a database, cast to the types of the working store.
--
-- columns   one #typed per column; a column of unknown type is not cast
-- incoming  the stream of received rows
--
-- One row per row of the stream.
select
    {columns}
from {incoming}

-- section: typed
-- A column cast to a type.
--
-- column  the column
-- type    the type
cast({column} as {type})
