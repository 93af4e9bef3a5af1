-- How many values an attribute has.
--
-- value  its column
count(distinct {value})
