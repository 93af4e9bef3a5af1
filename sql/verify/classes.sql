-- Recount of a staged release: its equivalence classes, and whether its cells are what they should be.
--
-- texts       one verify/cell per quasi-identifier, as cell_1, cell_2, …
-- staged      verify/sizes of the staged release
-- anonymity   one verify/anonymity per QID of some of the quasi-identifiers
-- torn        one verify/torn per QID
-- strangers   one verify/strangers or verify/strange_ranges per quasi-identifier
-- unexpected  verify/unexpected
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
