-- Dates that lose precision at every level, then *.
--
-- levels  the chosen columns of the inner select and hierarchy/top, as level_1, level_2, …
-- domain  the attribute's values
--
-- One row per value that is a date, and one for the missing value, which stays missing until the top.
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    {levels}
from (
    select
        value,
        instant,
        strftime(instant, '%Y-%m-%d') as day,
        strftime(instant, '%G-W%V') as week,
        strftime(instant, '%Y-%m') as month,
        year(instant) || '-Q' || quarter(instant) as quarter,
        cast(year(instant) as varchar) as year,
        year(instant) - (year(instant) % 10) || 's' as decade,
        year(instant) - (year(instant) % 100) || '-' || year(instant) - (year(instant) % 100) + 99 as century
    from (
        select
            value,
            try_cast(value as date) as instant
        from {domain}
    )
)
where (isfinite(instant) and year(instant) > 0)
    or value is null
