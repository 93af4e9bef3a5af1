-- The recoding of a preview by tuples of source values, if a lowest level above 0 gives several tuples the same codes.
--
-- values         value_1, value_2, … of the source's tuples
-- source_values  the same columns of the source
-- codes          code_1, code_2, … of the source
-- released       the released tuples with their parts: releases/recodings/recoded#in_order,
--                releases/recodings/recoded#in_turn or releases/recodings/recoded#of_persons
-- source         releases/recodings/recoded#source, with all rows of the source
-- match          one store/same per attribute: the same tuple in source and released
--
-- One row per tuple and part of it, and one row for the suppressed rows of a tuple: these are the tuple's rows without
-- a part, and have no levels.
select
    *,
    false as suppressed
from {released}
union all by name
select
    {source_values},
    {codes},
    source.rows - coalesce(released.rows, 0) as frequency,
    true as suppressed
from {source} as source
left join (
    select
        {values},
        cast(sum(frequency) as bigint) as rows
    from {released}
    group by {values}
) as released
    on {match}
where source.rows > coalesce(released.rows, 0)
