-- What values of a hierarchy become by a masking that was learnt on another table.
--
-- $masked   the masked values
-- $missing  whether the missing value is one of them
-- levels    level_0, level_1, …
-- top       what the top reads
-- members   the hierarchy's members over the values
--
-- One row per value: the masked value above it, the lowest of several; the top where there is none, as for a value that
-- was not there to be disclosed.
select
    true as is_leaf,
    value,
    case
        when value is null and $missing then null
        else coalesce(list_filter([{levels}], lambda text: list_contains($masked, text))[1], {top})
    end as cell
from {members}
where present
