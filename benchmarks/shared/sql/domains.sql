-- The values that occur, as one list per attribute.
--
-- lists     one domain.sql per attribute
-- numbered  numbered.sql
--
-- One row.
select
    {lists}
from {numbered}
