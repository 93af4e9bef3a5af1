-- How many different values of a sensitive attribute the rows of a class have. A missing value is none.
--
-- sensitive  the attribute
count(distinct {sensitive})
