-- The units behind the numbers of a column: of all of its values, or no units.
--
-- $missing  values that mean a missing value
-- $spaces   the characters that are spaces
-- text      the column's values as texts
-- rows      the table
--
-- One row: the units; the values with one; all values; those with a point, and with a comma; and the digits after it.
with typed as materialized (
    select distinct trim({text}, $spaces) as text
    from {rows}
    where {text} is not null
        and not list_contains($missing, {text})
        and not list_contains($missing, trim({text}, $spaces))
),
parts as materialized (
    select
        regexp_extract(text, '^(-?[0-9]+(?:[.,][0-9]+)?)', 1) as number,
        trim(regexp_extract(text, '^-?[0-9]+(?:[.,][0-9]+)?(.*)$', 1), $spaces) as unit
    from typed
),
sound as (
    select coalesce(bool_and(number <> '' and length(unit) <= 12 and not regexp_matches(unit, '[0-9.,:;/+-]')), false)
        as is_sound
    from parts
)
select
    case
        when is_sound then coalesce(list_sort(list(distinct unit) filter (where unit <> '')), [])
        else []
    end as units,
    count(*) filter (where unit <> '') as with_unit,
    count(number) as present,
    count(*) filter (where contains(number, '.')) as points,
    count(*) filter (where contains(number, ',')) as commas,
    coalesce(max(length(split_part(number, ',', 2))), 0) as decimals
from sound
left join parts on true
group by is_sound
