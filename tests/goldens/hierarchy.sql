-- hierarchy/cast
decode(encode(cast("column" as varchar)))

-- hierarchy/dates
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    '*' as "level_1",
    '*' as "level_2"
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
        from "domain"
    )
)
where (isfinite(instant) and year(instant) > 0)
    or value is null

-- hierarchy/dates#iso
try_cast(value as date)

-- hierarchy/dates#formats
case when len(list_distinct([case when year(try_strptime(value, "format")) >= 1000 then cast(try_strptime(value, "format") as date) end])) = 1 then list_distinct([case when year(try_strptime(value, "format")) >= 1000 then cast(try_strptime(value, "format") as date) end])[1] end

-- hierarchy/dates#read
case when year(try_strptime(value, "format")) >= 1000 then cast(try_strptime(value, "format") as date) end

-- hierarchy/declared
select
    coalesce(domain.present, false) as present,
    domain.value,
    declared.level_0,
    "levels"
from "declared" as declared
left join (
    select
        true as present,
        value,
        cast(value as varchar) as level_0
    from "domain"
) as domain
    on domain.level_0 is not distinct from declared.level_0

-- hierarchy/declared#lines
select
    "levels"
from "lines"

-- hierarchy/declared#once
select distinct
    "levels"
from "declared"

-- hierarchy/declared#count
select count(*) as lines
from "declared"

-- hierarchy/declared#leaves_twice
select count(*) as leaves
from (
    select level_0
    from "declared"
    group by level_0
    having count(*) > 1
)

-- hierarchy/digits
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    left(digits, -"lost") || repeat('*', "lost") as "level_1",
    left(digits, -"lost") || repeat('*', "lost") as "level_2"
from (
    select
        value,
        value as digits
    from "domain"
)
where length(digits) = $digits
    or value is null

-- hierarchy/digits#masked
left(digits, -"lost") || repeat('*', "lost")

-- hierarchy/digits#number
case
    when value >= 0 and length(cast(value as varchar)) <= $digits
    then lpad(cast(value as varchar), $digits, '0')
end

-- hierarchy/digits#text
value

-- hierarchy/digits#padded
case when length(value) <= $digits then lpad(value, $digits, "pad") else value end

-- hierarchy/domain
select distinct "value" as value
from "base"

-- hierarchy/intervals
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    '[' || regexp_replace(
        cast(
            cast(trunc(number) as decimal(38, 10)) + cast(
                number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                    % cast("width" as decimal(38, 18))
                as decimal(38, 10)
            )
            as varchar
        ),
        '\.?0+$',
        ''
    ) || ', ' || regexp_replace(
        cast(
            cast(trunc(number) as decimal(38, 10)) + cast(
                number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                    % cast("width" as decimal(38, 18))
                as decimal(38, 10)
            ) + cast("width" as decimal(38, 10))
            as varchar
        ),
        '\.?0+$',
        ''
    ) || ')' as "level_1",
    '[' || regexp_replace(
        cast(
            cast(trunc(number) as decimal(38, 10)) + cast(
                number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                    % cast("width" as decimal(38, 18))
                as decimal(38, 10)
            )
            as varchar
        ),
        '\.?0+$',
        ''
    ) || ', ' || regexp_replace(
        cast(
            cast(trunc(number) as decimal(38, 10)) + cast(
                number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                    % cast("width" as decimal(38, 18))
                as decimal(38, 10)
            ) + cast("width" as decimal(38, 10))
            as varchar
        ),
        '\.?0+$',
        ''
    ) || ')' as "level_2"
from (
    select
        value,
        number
    from (
        select
            value,
            digits,
            try_cast(digits as decimal(38, 18)) as number
        from (
            select
                value,
                cast(value as varchar) as digits
            from "domain"
        )
    )
    where (
            number is not null
            and length(regexp_extract(digits, '\.([0-9]*)', 1))
                - coalesce(try_cast(regexp_extract(lower(digits), 'e([-+]?[0-9]+)', 1) as integer), 0) <= 18
        )
        or value is null
)

-- hierarchy/intervals#range
'[' || regexp_replace(
    cast(
        cast(trunc(number) as decimal(38, 10)) + cast(
            number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                % cast("width" as decimal(38, 18))
            as decimal(38, 10)
        )
        as varchar
    ),
    '\.?0+$',
    ''
) || ', ' || regexp_replace(
    cast(
        cast(trunc(number) as decimal(38, 10)) + cast(
            number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                % cast("width" as decimal(38, 18))
            as decimal(38, 10)
        ) + cast("width" as decimal(38, 10))
        as varchar
    ),
    '\.?0+$',
    ''
) || ')'

-- hierarchy/intervals#below
case when number < cast($below as decimal(38, 10)) then '< ' || $below else '[' || regexp_replace(
    cast(
        cast(trunc(number) as decimal(38, 10)) + cast(
            number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                % cast("width" as decimal(38, 18))
            as decimal(38, 10)
        )
        as varchar
    ),
    '\.?0+$',
    ''
) || ', ' || regexp_replace(
    cast(
        cast(trunc(number) as decimal(38, 10)) + cast(
            number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                % cast("width" as decimal(38, 18))
            as decimal(38, 10)
        ) + cast("width" as decimal(38, 10))
        as varchar
    ),
    '\.?0+$',
    ''
) || ')' end

-- hierarchy/intervals#above
case when number >= cast($above as decimal(38, 10)) then '>= ' || $above else '[' || regexp_replace(
    cast(
        cast(trunc(number) as decimal(38, 10)) + cast(
            number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                % cast("width" as decimal(38, 18))
            as decimal(38, 10)
        )
        as varchar
    ),
    '\.?0+$',
    ''
) || ', ' || regexp_replace(
    cast(
        cast(trunc(number) as decimal(38, 10)) + cast(
            number - trunc(number) - (number % cast("width" as decimal(38, 18)) + cast("width" as decimal(38, 18)))
                % cast("width" as decimal(38, 18))
            as decimal(38, 10)
        ) + cast("width" as decimal(38, 10))
        as varchar
    ),
    '\.?0+$',
    ''
) || ')' end

-- hierarchy/levels
select
    (
        select count(*) as children
        from (
            select "below"
            from (
                select distinct
                    "below",
                    "above"
                from "declared"
            )
            group by "below"
            having count(*) > 1
        )
    )

-- hierarchy/levels#count
(
    select count(*) as children
    from (
        select "below"
        from (
            select distinct
                "below",
                "above"
            from "declared"
        )
        group by "below"
        having count(*) > 1
    )
)

-- hierarchy/misfits
select
    cast(base."value" as varchar) as value,
    cast(sum(base.frequency) as bigint) as rows
from "base" as base
where not exists (
    select 1
    from "members" as member
    where member.present
        and member.value is not distinct from base."value"
)
group by base."value"
order by
    rows desc,
    value

-- hierarchy/misfits#count
select cast(coalesce(sum(rows), 0) as bigint) as rows
from (
    select
        cast(base."value" as varchar) as value,
        cast(sum(base.frequency) as bigint) as rows
    from "base" as base
    where not exists (
        select 1
        from "members" as member
        where member.present
            and member.value is not distinct from base."value"
    )
    group by base."value"
    order by
        rows desc,
        value
)

-- hierarchy/misfits#places
select
    min(place) as first,
    max(place) as last
from (
    select
        place,
        place - row_number() over (order by place) as run
    from (
        select
            value,
            row_number() over (order by value nulls last) as place
        from "domain"
    ) as domain
    where not exists (
        select 1
        from "members" as member
        where member.present
            and member.value is not distinct from domain.value
    )
)
group by run
order by first

-- hierarchy/misfits#shown
select
    value,
    frequency as "rows"
from (
    select
        value,
        count(*) as frequency,
        row_number() over (order by case when value is null then 1 else 0 end, value) as place
    from (
        select "column" as value
        from (
            select *
            from "origin"
        ) as origin
    ) as cells
    group by value
) as placed
where place between "first" and "last"
order by place

-- hierarchy/misfits#run
place between "first" and "last"

-- hierarchy/misfits#alone
place = "first"

-- hierarchy/nonconforming
select
    true as present,
    domain.value,
    cast(domain.value as varchar) as level_0,
    missing."level"
from "domain" as domain
cross join (
    select coalesce(max("last"), '*') as top
    from "members"
) as topmost
left join "members" as missing
    on missing.level_0 is null
where not exists (
    select 1
    from "members" as member
    where member.present
        and member.value is not distinct from domain.value
)

-- hierarchy/nonconforming#missing
missing."level"

-- hierarchy/nonconforming#top
topmost.top

-- hierarchy/numbers
select
    value,
    number
from (
    select
        value,
        digits,
        try_cast(digits as decimal(38, 18)) as number
    from (
        select
            value,
            cast(value as varchar) as digits
        from "domain"
    )
)
where (
        number is not null
        and length(regexp_extract(digits, '\.([0-9]*)', 1))
            - coalesce(try_cast(regexp_extract(lower(digits), 'e([-+]?[0-9]+)', 1) as integer), 0) <= 18
    )
    or value is null

-- hierarchy/numbers#point
cast(value as varchar)

-- hierarchy/numbers#comma
case when not contains(value, '.') then replace(value, ',', '.') end

-- hierarchy/numeric
select
    true as present,
    value,
    number,
    cast(value as varchar) as level_0,
    '*' as "level_1"
from (
    select
        value,
        number
    from (
        select
            value,
            digits,
            try_cast(digits as decimal(38, 18)) as number
        from (
            select
                value,
                cast(value as varchar) as digits
            from "domain"
        )
    )
    where (
            number is not null
            and length(regexp_extract(digits, '\.([0-9]*)', 1))
                - coalesce(try_cast(regexp_extract(lower(digits), 'e([-+]?[0-9]+)', 1) as integer), 0) <= 18
        )
        or value is null
)

-- hierarchy/problems#tops
select count(*) as tops
from (
    select distinct "top"
    from "declared"
)

-- hierarchy/problems#two_parents
select count(*) as children
from (
    select "below"
    from (
        select distinct
            "below",
            "above"
        from "declared"
    )
    group by "below"
    having count(*) > 1
)

-- hierarchy/problems#without_leaf
select
    count(*) as values,
    coalesce(bool_or(domain.value is null), false) as missing
from "domain" as domain
where not exists (
    select 1
    from "members" as member
    where member.present
        and member.value is not distinct from domain.value
)

-- hierarchy/suppress
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    '*' as "level_1"
from "domain"

-- hierarchy/table
select
    decode(encode(cast("column" as varchar))) as "level_0",
    decode(encode(cast("column" as varchar))) as "level_1"
from "table"

-- hierarchy/told
select
    value,
    cast(value as varchar) as level_0
from "domain"
order by level_0

-- hierarchy/top
'*'
