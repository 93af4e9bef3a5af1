-- How many generalized tuples of a staged release are not as frequent as those that the recoding takes there, and how
-- many have other kept cells.
--
-- cells     cell_1, cell_2, …
-- checksum  checksum where the recoding tells it, else 0
-- expected  recoding/generalized
--
-- Two numbers.
(
    select [count(*) filter (where frequency <> 0), count(*) filter (where checksum <> 0)]
    from (
        select
            sum(frequency) as frequency,
            sum(checksum) as checksum
        from (
            select
                {cells},
                size as frequency,
                {checksum} as checksum
            from staged
            union all
            select
                {cells},
                -frequency,
                -{checksum}
            from (
                {expected}
            )
        )
        group by {cells}
    )
)
