-- The classes of a population, as texts.
--
-- texts    one #text per quasi-identifier, as text_1, text_2, …
-- people   how many people a row stands for: #counted, or 1
-- classes  the classes of the population, over more columns: value_1, value_2, …, size
--
-- One row per class. Its people are missing if a number of people is invalid.
select
    {texts},
    cast(case when count({people}) = count(*) then sum(size * {people}) end as bigint) as people
from {classes}
group by all

-- section: counted
-- Number of people that a row stands for, from a column: a whole number of eleven digits at most, so that no sum is too
-- large. It is missing for other values: a cast alone would round 2.5 to 3.
--
-- count  the column
case
    when regexp_full_match(cast({count} as varchar), ' *[0-9]{1,11}(\.0*)? *')
        then try_cast(cast({count} as varchar) as bigint)
end

-- section: text
-- A cell as it reads.
--
-- value  the cell
cast({value} as varchar)
