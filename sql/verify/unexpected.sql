-- How many generalized tuples of a staged release have other rows than those that the recoding takes there.
--
-- cells     cell_1, cell_2, …
-- checksum  checksum where the recoding tells it, else 0
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
        having sum(frequency) <> 0
            or sum(checksum) <> 0
    )
)
