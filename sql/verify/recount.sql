-- Recount of a staged release: its equivalence classes, and its cells compared with the claimed ones.
--
-- texts       one #cell per quasi-identifier, as cell_1, cell_2, …
-- staged      verify/sizes of the staged release
-- anonymity   one #anonymity per QID of some of the quasi-identifiers
-- torn        one verify/classes_at_home#torn per QID
-- strangers   one #strangers or #strange_ranges per quasi-identifier
-- unexpected  #unexpected
--
-- One row: the equivalence classes, their rows, the smallest and the sum of their squared sizes.
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
    {strangers},
    {unexpected} as unexpected
from staged

-- section: anonymity
-- A(QID): the smallest class of a QID (Fung, Wang, Yu 2007, Definition 1).
--
-- sizes  privacy/k_anonymity/regrouped
--
-- A number; missing without a row.
(
    select min(size)
    from (
        {sizes}
    )
)

-- section: cell
-- A cell of the release as a recipient reads it, byte by byte.
--
-- column  the column
decode(encode(cast({column} as varchar)))

-- section: strange_ranges
-- Number of a staged numeric column's values that are no leaf, no range with allowed ends, and not the top.
--
-- cell   its column of the staged classes
-- ends   verify/ranges#read of a released value
-- low    verify/ranges#allowed of the lower end
-- high   verify/ranges#allowed of the upper end
-- table  the attribute's dimension table
--
-- A number.
(
    select count(*)
    from (
        select
            released,
            {ends}
        from (
            select distinct {cell} as released
            from staged
        )
    ) as present
    where not exists (
        select 1
        from {table} as member
        where member.present
            and (
                member.level_0 is not distinct from present.released
                or member.level_1 = present.released
            )
    )
        and not (
            is_range
            and {low}
            and {high}
        )
)

-- section: strangers
-- Number of a staged column's values that are no value of its levels.
--
-- cell    its column of the staged classes
-- table   the attribute's dimension table
-- known   the column of its level; of several, #of_levels
--
-- A number. Texts are compared, as a recipient reads them.
(
    select count(*)
    from (
        select distinct {cell} as released
        from staged
    ) as present
    anti join (
        select distinct {known} as known
        from {table}
        where present
    ) as member
        on member.known is not distinct from present.released
)

-- section: of_levels
-- Values of an attribute at some of its levels.
--
-- levels  the columns of these levels
unnest([{levels}])

-- section: unexpected
-- Number of a staged release's generalized tuples with another frequency than in the recoding, and number with other
-- kept cells.
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
