-- The tuples of quasi-identifiers in the source beside their generalized texts in the release.
--
-- before    the texts of the quasi-identifiers in the source, as before_1, before_2, …
-- after     their texts in the release, as after_1, after_2, …
-- moved     the sum of one #moved per quasi-identifier: the generalization of the tuple
-- recoding  the recoding: code_1, …, level_1, …, frequency, suppressed; or
--           commands/preview/source_recoding
-- members   one star/recoding/single_dimension#member per quasi-identifier
--
-- One row per row of the recoding.
select
    {before},
    {after},
    {moved} as moved,
    recoding.frequency as frequency,
    recoding.suppressed as suppressed
from {recoding} as recoding
{members}

-- section: moved
-- The level of a cell as a share of its hierarchy's height, from 0 for the leaf to 1 for the top.
--
-- level    the column of the cell's level
-- beneath  the number of levels of the hierarchy below the lowest level allowed by the job
-- height   the height of the hierarchy
({level} + {beneath}) / {height}

-- section: largest
-- The released tuples, the most generalized first, with their numbers of rows.
--
-- cells   before_1, before_2, …, after_1, after_2, …
-- tuples  commands/preview/tuples
-- $most   the largest number of rows in the result
--
-- One row per tuple.
select
    {cells},
    frequency
from {tuples}
where not suppressed
order by
    moved desc,
    frequency desc,
    {cells}
limit $most

-- section: left_out
-- Suppressed tuples, those with most rows first.
--
-- cells   before_1, before_2, …, after_1, after_2, …
-- tuples  commands/preview/tuples
-- $most   the largest number of rows in the result
--
-- One row per tuple.
select
    {cells},
    frequency
from {tuples}
where suppressed
order by
    frequency desc,
    {cells}
limit $most

-- section: distribution
-- The most frequent values of a column with their numbers of rows; found is the number of all different values.
--
-- value   the column
-- tuples  commands/preview/tuples
-- $most   the largest number of rows in the result
-- $all    true if suppressed rows count, too
--
-- One row per value.
select
    {value} as value,
    cast(sum(frequency) as bigint) as rows,
    count(*) over () as found
from {tuples}
where $all or not suppressed
group by {value}
order by
    rows desc,
    value
limit $most

-- section: correlation
-- Association of the values of two columns: Cramér's V, corrected for bias; the order of values does not matter.
-- Bergsma 2013, A bias-correction for Cramér's V and Tschuprow's T.
--
-- one     a column
-- other   another column
-- tuples  commands/preview/tuples
-- $all    true if suppressed rows count, too
--
-- One row: from 0 to 1, null if a column has a single value, or as many values as there are rows.
with
    cells as (
        select
            {one} as one,
            {other} as other,
            cast(sum(frequency) as double) as frequency
        from {tuples}
        where $all or not suppressed
        group by
            {one},
            {other}
    ),

    margins as (
        select
            frequency,
            sum(frequency) over (partition by one) as of_one,
            sum(frequency) over (partition by other) as of_other
        from cells
    ),

    counted as (
        select
            sum(frequency) as rows,
            sum(frequency * frequency / (of_one * of_other)) - 1 as phi_squared,
            -- The shares of each value add up to 1.
            round(sum(frequency / of_one)) as ones,
            round(sum(frequency / of_other)) as others
        from margins
    )

select
    round(
        sqrt(
            greatest(0, phi_squared * (rows - 1) - (ones - 1) * (others - 1))
            / nullif(least((ones - 1) * (rows - ones), (others - 1) * (rows - others)), 0)
        ),
        10
    ) as correlation
from counted
