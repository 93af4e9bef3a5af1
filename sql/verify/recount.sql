-- Recount of a staged release: its equivalence classes, and its cells compared with the claimed ones.
--
-- texts       one #cell per quasi-identifier, as cell_1, cell_2, …
-- staged      verify/sizes of the staged release
-- anonymity   one #anonymity per QID of some of the quasi-identifiers
-- torn        one verify/classes_at_home#torn per QID
-- unexpected  #unexpected
--
-- One row: the number of equivalence classes, the number of rows, the smallest size, the sum of squared sizes, and the
-- counts of the holes.
with staged as materialized (
    select
        {texts},
        *
    from {staged}
)
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    coalesce(sum(cast(size as hugeint) * size), 0) as squares,
    [{anonymity}] as anonymity,
    {torn} as torn,
    {unexpected} as unexpected
from staged

-- section: anonymity
-- A(QID): the size of the smallest class under a QID (Fung, Wang, Yu 2007, Definition 1).
--
-- sizes  privacy/k_anonymity/regrouped
--
-- A number; NULL for a release without rows.
(
    select min(size)
    from (
        {sizes}
    )
)

-- section: cell
-- A cell of the release as text, exactly as read by a recipient.
--
-- column  the column
decode(encode(cast({column} as varchar)))

-- section: unexpected
-- Number of generalized tuples with another frequency in the staged release than in the recoding, and number of
-- generalized tuples with other kept cells than in the recoding.
--
-- cells     cell_1, cell_2, …
-- checksum  checksum if the recoding has it, else 0
-- expected  star/recoding/generalized
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
