-- Number of values in each quasi-identifier column of a staged release that are absent from the attribute's claimed
-- levels. The statement is a UNION of one select for each of some columns: with all counts in one row, planning takes
-- long for a wide table.
--
-- texts    one verify/recount#cell per quasi-identifier, as cell_1, cell_2, …
-- staged   verify/sizes of the staged release
-- columns  one #strangers or #strange_ranges per quasi-identifier, such as `select 1 as place, 0 as strangers`
--
-- One row per quasi-identifier: its place, and the number.
with staged as materialized (
    select {texts}
    from {staged}
)
{columns}

-- section: strange_ranges
-- Number of a numeric column's values that are neither a leaf, nor a range with permitted ends, nor the top of the
-- hierarchy.
--
-- place  the attribute's place
-- cell   the attribute's column of the staged classes
-- ends   verify/ranges#read of a released value
-- low    verify/ranges#allowed of the lower end
-- high   verify/ranges#allowed of the upper end
-- table  the attribute's dimension table
--
-- One row.
select
    {place} as place,
    count(*) as strangers
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

-- section: strangers
-- Number of a column's values that are absent from the claimed hierarchy levels.
--
-- place   the attribute's place
-- cell    the attribute's column of the staged classes
-- table   the attribute's dimension table
-- known   the column of the claimed level or, with several levels, #of_levels
--
-- One row. Texts are compared, as a recipient reads them.
select
    {place} as place,
    count(*) as strangers
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

-- section: of_levels
-- The values of an attribute at several levels, as one column.
--
-- levels  the columns of these levels
unnest([{levels}])
