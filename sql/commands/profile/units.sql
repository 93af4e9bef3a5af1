-- The units written behind the numbers of a column, such as cm. The list is empty unless every value of the column is a
-- number, with or without a unit.
--
-- $missing  values that mean a missing value
-- $spaces   the characters that are spaces
-- text      the column's values as texts
-- rows      the table
--
-- One row: units, the different units; with_unit, the number of values with a unit; present, of all values; points and
-- commas, of values with a point and with a comma; decimals, the largest number of digits after a comma.
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
