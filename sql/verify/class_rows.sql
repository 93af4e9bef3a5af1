-- Classes beside the rows of the coarser ones that a model is asked of: an officer reads how many rows violate it, also
-- those that the model does not count, as they have no value or are of a person who is counted.
--
-- classes  classes over more columns: value_1, value_2, …, size
-- values   those of the QID
--
-- One row per class.
select
    *,
    cast(sum(size) over (partition by {values}) as bigint) as class_rows
from {classes}
