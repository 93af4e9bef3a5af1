-- The release of a full-domain generalization as somebody would write it who has a table of labels for each attribute.
--
-- columns  the labels, under the attributes' names
-- source   the source, as `source`
-- joins    one #join per attribute
-- order    order.sql
--
-- One row per row of the source.
select
    {columns}
from {source} as source
{joins}
{order}

-- section: join
-- The join of an attribute with its labels.
--
-- labels  a table: value, label
-- value   the attribute
join {labels}
    on {labels}.value = {value}
