-- The number of people per combination of quasi-identifiers in a population, with values as texts.
--
-- texts    one #text per quasi-identifier, as text_1, text_2, …
-- people   the number of people of a row: #counted, or 1
-- classes  the classes of the population, over more columns: value_1, value_2, …, size
--
-- One row per combination. people is null if a row of the combination has an invalid number of people.
select
    {texts},
    cast(case when count({people}) = count(*) then sum(size * {people}) end as bigint) as people
from {classes}
group by all

-- section: counted
-- Number of people represented by a row, from a column of counts; null unless it is a whole number of at most eleven
-- digits. The limit prevents an overflow of sums; a cast alone would round 2.5 to 3.
--
-- count  the column
case
    when regexp_full_match(cast({count} as varchar), ' *[0-9]{1,11}(\.0*)? *')
        then try_cast(cast({count} as varchar) as bigint)
end

-- section: text
-- The value of a cell as text.
--
-- value  the cell
cast({value} as varchar)
