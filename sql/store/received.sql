-- Rows received from a database, in the types of the working store.
--
-- columns   one #typed per column
-- incoming  the stream
--
-- One row per row of the stream.
select
    {columns}
from {incoming}

-- section: typed
-- A column in its type.
--
-- column  the column
-- type    the type
cast({column} as {type})
