-- Which values of a sensitive attribute the rows of a tuple have, a bit each; a missing value is none.
--
-- code    the column of their numbers, from 0
-- last    the highest number
-- values  how many numbers there are
coalesce(bitstring_agg({code}, 0, {last}), bitstring('0', {values}))
