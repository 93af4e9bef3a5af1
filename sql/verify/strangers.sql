-- Number of values, in each generalized column of a staged release, that are no value of its attribute. Each column has
-- a part of its own: with one number per column in one row, a plan for a wide table takes long to make.
--
-- texts    one verify/recount#cell per quasi-identifier, as cell_1, cell_2, …
-- staged   verify/sizes of the staged release
-- columns  one #strangers or #strange_ranges per quasi-identifier
--
-- One row per quasi-identifier.
with staged as materialized (
    select {texts}
    from {staged}
)
{columns}

-- section: strange_ranges
-- Number of a staged numeric column's values that are no leaf, no range with allowed ends, and not the top.
--
-- place  the attribute's place
-- cell   its column of the staged classes
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
-- Number of a staged column's values that are no value of its levels.
--
-- place   the attribute's place
-- cell    its column of the staged classes
-- table   the attribute's dimension table
-- known   the column of its level; of several, #of_levels
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
-- Values of an attribute at some of its levels.
--
-- levels  the columns of these levels
unnest([{levels}])
