-- The release of a local recoding: the source with every cell at its level, in shuffled order. Where the rows of a
-- tuple go to several levels, the seed decides which rows; copies of one row are told apart for that, so that the other
-- cells of a row do not tell where it went.
--
-- columns   the released columns, in the source's order
-- source    the source
-- cells     the source's columns that are released
-- kept      those that are no quasi-identifiers, each after a comma
-- copy      a name that no column of the source has
-- maps      one release/map per quasi-identifier
-- mapping   recoding/mapping
-- match     one release/match per quasi-identifier
-- seed      the seed
-- rows      more rows than a tuple has
-- shuffled  release/shuffled
--
-- One row per row of the source that is not suppressed.
select *
from (
    select
        {columns}
    from (
        select
            *,
            row_number() over (partition by {cells}) as {copy}
        from {source}
    ) as source
    {maps}
    join {mapping} as mapping
        on {match}
    where not mapping.suppressed
    qualify row_number() over (
        partition by mapping.part
        order by hash({seed}, source.{copy}{kept}), source.{copy}{kept}
    ) between mapping.lower + 1 and coalesce(mapping.upper, {rows})
)
order by {shuffled}
