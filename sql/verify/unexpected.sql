-- How many generalized tuples a staged release has more or less often than its recoding says.
--
-- cells     cell_1, cell_2, …
-- expected  recoding/generalized
--
-- A number.
(
    select count(*)
    from (
        select 1
        from (
            select
                {cells},
                size as frequency
            from staged
            union all
            select
                {cells},
                -frequency
            from (
{expected}
            )
        )
        group by {cells}
        having sum(frequency) <> 0
    )
)
