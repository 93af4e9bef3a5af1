-- The share of each tuple's rows that is in each class; at the start a tuple is in one class.
--
-- tuples  search/kaca/tuples
--
-- One row per tuple and class. sum(frequency) is that of the tuples.
select
    tuple,
    class,
    frequency
from {tuples}
