-- verify/altered
select count(*) as altered
from "rows"
where not (cast(try_cast("cell" as varchar) as "read") is not distinct from "cell")

-- verify/altered#same
cast(try_cast("cell" as varchar) as "read") is not distinct from "cell"

-- verify/classes
with staged as materialized (
    select
        decode(encode(cast("column" as varchar))) as "cell_1",
        decode(encode(cast("column" as varchar))) as "cell_2",
        *
    from "staged"
)
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    coalesce(sum(cast(size as hugeint) * size), 0) as squares,
    [(
        select min(size)
        from (
            select cast(sum(size) as bigint) as size
            from "classes"
            group by "values"
        )
    )] as anonymity,
    (
        select count(*)
        from (
            select
                sum(size) as rows,
                min("group") as least,
                max("group") as most
            from "classes"
            group by "values"
        ) as grouped
        where grouped.rows <> grouped.least
            or grouped.rows <> grouped.most
    ) as torn,
    (
        select count(*)
        from (
            select distinct "cell" as released
            from staged
        ) as present
        where not exists (
            select 1
            from (
                select distinct unnest(["levels"]) as known
                from "table"
                where present
            ) as member
            where member.known is not distinct from present.released
        )
    ),
    (
        select [count(*) filter (where frequency <> 0), count(*) filter (where checksum <> 0)]
        from (
            select
                sum(frequency) as frequency,
                sum(checksum) as checksum
            from (
                select
                    "cells",
                    size as frequency,
                    "checksum" as checksum
                from staged
                union all
                select
                    "cells",
                    -frequency,
                    -"checksum"
                from (
                    select
                        "cell_1",
                        "cell_2",
                        recoding.frequency as frequency,
                        "checksum" as checksum
                    from "recoding" as recoding
                    join "table"
                        on "table".code = "code"
                    where not recoding.suppressed
                )
            )
            group by "cells"
        )
    ) as unexpected
from staged

-- verify/classes#anonymity
(
    select min(size)
    from (
        select cast(sum(size) as bigint) as size
        from "classes"
        group by "values"
    )
)

-- verify/classes#cell
decode(encode(cast("column" as varchar)))

-- verify/classes#strange_ranges
(
    select count(*)
    from (
        select
            released,
            try_cast(regexp_extract(released, '^\[([-0-9.]+), ([-0-9.]+)\]$', 1) as decimal(38, 18)) as low,
            try_cast(regexp_extract(released, '^\[([-0-9.]+), ([-0-9.]+)\]$', 2) as decimal(38, 18)) as high
        from (
            select distinct "cell" as released
            from staged
        )
    ) as present
    where not exists (
        select 1
        from "table" as member
        where member.present
            and (
                member.level_0 is not distinct from present.released
                or member.level_1 = present.released
            )
    )
        and (
            coalesce(present.low > present.high, true)
            or not exists (
                select 1
                from "table" as member
                where member.number = present.low
            )
            or not exists (
                select 1
                from "table" as member
                where member.number = present.high
            )
        )
)

-- verify/classes#strangers
(
    select count(*)
    from (
        select distinct "cell" as released
        from staged
    ) as present
    where not exists (
        select 1
        from (
            select distinct unnest(["levels"]) as known
            from "table"
            where present
        ) as member
        where member.known is not distinct from present.released
    )
)

-- verify/classes#unexpected
(
    select [count(*) filter (where frequency <> 0), count(*) filter (where checksum <> 0)]
    from (
        select
            sum(frequency) as frequency,
            sum(checksum) as checksum
        from (
            select
                "cells",
                size as frequency,
                "checksum" as checksum
            from staged
            union all
            select
                "cells",
                -frequency,
                -"checksum"
            from (
                select
                    "cell_1",
                    "cell_2",
                    recoding.frequency as frequency,
                    "checksum" as checksum
                from "recoding" as recoding
                join "table"
                    on "table".code = "code"
                where not recoding.suppressed
            )
        )
        group by "cells"
    )
)

-- verify/compared
select
    *,
    cast(0 as bigint) as everywhere
from "classes"
union all by name
select
    * exclude (size),
    cast(0 as bigint) as size,
    size as everywhere
from "source"

-- verify/compared#cells
select "cells"
from "source" as source

-- verify/compared#strange
select count(*)
from (
    select 1
    from "compared"
    group by "sensitive"
    having sum(everywhere) = 0
)

-- verify/covered
with released as materialized (
    select
        staged.*,
        "known".level as "at_1",
        "known".level as "at_2"
    from (
        select
            decode(encode(cast("column" as varchar))) as "cell_1",
            decode(encode(cast("column" as varchar))) as "cell_2",
            cast(sum(size) as bigint) as size
        from "staged"
        group by "cells"
    ) as staged
    left join (
        select
            text,
            max(level) as level
        from (
            select
                unnest(["levels"]) as level,
                unnest(["texts"]) as text
            from "table"
            where inhabited
        )
        group by text
    ) as "known"
        on "known".text is not distinct from staged."cell"
),

covering as (
    select
        "at",
        ["texts"][list_position(["levels"], shape."at")] as "cell_1",
        ["texts"][list_position(["levels"], shape."at")] as "cell_2",
        cast(sum(population.people) as bigint) as people
    from (
        select distinct "at"
        from released
    ) as shape
    cross join "population" as population
    join "table"
        on "table".inhabited
        and "table".value is not distinct from population."value"
    group by all
)

select
    released.size,
    cast(coalesce(sum(covering.people), 0) as bigint) as people
from (
    select
        row_number() over () as class,
        *
    from released
) as released
left join covering
    on covering."at" = released."at"
        and covering."cell" is not distinct from released."cell"
group by
    released.class,
    released.size

-- verify/covered#level
"known".level

-- verify/covered#known
left join (
    select
        text,
        max(level) as level
    from (
        select
            unnest(["levels"]) as level,
            unnest(["texts"]) as text
        from "table"
        where inhabited
    )
    group by text
) as "known"
    on "known".text is not distinct from staged."cell"

-- verify/covered#generalized
["texts"][list_position(["levels"], shape."at")]

-- verify/covered#same
covering."at" = released."at"
    and covering."cell" is not distinct from released."cell"

-- verify/departures
select count(*)
from (
    select
        sum(before.rows) as shown,
        sum(least(before.rows, coalesce(now.rows, 0))) as stay
    from (
        select
            "rows",
            sum(rows) as rows
        from "before"
        group by all
    ) as before
    left join (
        select
            "rows",
            sum(rows) as rows
        from "now"
        group by all
    ) as now
        on "one" is not distinct from "other"
    group by "class"
)
where shown - stay between 1 and $k - 1
    or stay between 1 and $k - 1

-- verify/departures#known
select count(*)
from (
    select
        row,
        sum(before) as before,
        sum(now) as now,
        bool_or(before > now) or bool_or(gone) as went,
        bool_or(now > before) as came
    from (
        select
            row,
            "class",
            sum(before) as before,
            sum(now) as now,
            bool_or(gone) as gone
        from (
            select
                row,
                "class",
                rows as before,
                0 as now,
                gone
            from "before"
            union all
            select
                row,
                "class",
                0 as before,
                rows as now,
                false as gone
            from "now"
            where not gone
        )
        group by
            row,
            "class"
    )
    group by row
) as shown
left join (
    select
        cast(md5_number_lower(md5(coalesce('=' || cast("cell" as varchar), ''))) >> 1 as bigint) as row,
        count(*) as rows
    from "source" as source
    group by all
) as there
    on there.row = shown.row
where shown.came
    and (shown.went or shown.now > coalesce(there.rows, 0))
    and greatest(shown.before, coalesce(there.rows, 0)) < $k

-- verify/departures#rows
select
    cast(md5_number_lower(md5(coalesce('=' || cast("cell" as varchar), ''))) >> 1 as bigint) as row,
    count(*) as rows
from "source" as source
group by all

-- verify/group
"column"

-- verify/group.mariadb
convert("column" using utf8mb4) collate utf8mb4_nopad_bin

-- verify/group.postgresql
"column" collate "C"

-- verify/group.spark
cast(`column` as string collate utf8_binary)

-- verify/group.sqlite
"column" collate binary

-- verify/grouped
select
    *,
    cast(sum(size) over (partition by "values") as bigint) as "group_1",
    cast(sum(size) over (partition by "values") as bigint) as "group_2"
from (
    select
        cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as "value_1",
        cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as "value_2",
        count(*) as size
    from "relation" as relation
    group by "names"
) as classes

-- verify/grouped#size
cast(sum(size) over (partition by "values") as bigint)

-- verify/grouped#regrouped
select cast(sum(size) as bigint) as size
from "classes"
group by "values"

-- verify/grouped.mariadb#size
cast(sum(size) over (partition by "values") as signed)

-- verify/invented
select count(*) as combinations
from (
    select 1
    from (
        select
            "kept_1",
            "kept_2",
            1 as copies
        from (
            select *
            from "release"
        ) as released
        union all
        select
            "kept",
            -1 as copies
        from "source" as source
    ) as cells
    group by "names"
    having sum(copies) > 0
) as invented

-- verify/peopled
select
    "cells",
    cast(sum(size) as bigint) as size,
    cast(sum(people) as bigint) as people
from (
    select
        decode(encode(cast("column" as varchar))) as "cell_1",
        decode(encode(cast("column" as varchar))) as "cell_2",
        size,
        0 as people
    from "staged"
    union all by name
    select
        "cell_1",
        "cell_2",
        0 as size,
        population.people
    from "population" as population
    join "table"
        on "table".inhabited
        and "table".value is not distinct from population."value"
)
group by "cells"

-- verify/peopled#member
join "table"
    on "table".inhabited
    and "table".value is not distinct from population."value"

-- verify/sizes
select
    cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as "value_1",
    cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as "value_2",
    count(*) as size
from "relation" as relation
group by "names"

-- verify/uncovered
select count(*)
from "recoding" as recoding
join "table" as member
    on member.code = recoding."code"
where not recoding.suppressed
    and recoding."level" > 0
    and recoding."text" is distinct from member.level_1
    and not coalesce(
        member.number between
            try_cast(regexp_extract(recoding."text", '^\[([-0-9.]+), ([-0-9.]+)\]$', 1) as decimal(38, 18))
            and try_cast(regexp_extract(recoding."text", '^\[([-0-9.]+), ([-0-9.]+)\]$', 2) as decimal(38, 18)),
        false
    )

-- verify/values
select count("value") as present
from "classes"

-- verify/violating
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    count(*) filter (where size < $k) as violating_classes,
    cast(coalesce(sum(size) filter (where size < $k), 0) as bigint) as violating_rows
from (
    select
        cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as "value_1",
        cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as "value_2",
        count(*) as size
    from "relation" as relation
    group by "names"
)

-- verify/whole
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    (
        select count(*)
        from (
            select
                sum(size) as rows,
                min("group") as least,
                max("group") as most
            from "classes"
            group by "values"
        ) as grouped
        where grouped.rows <> grouped.least
            or grouped.rows <> grouped.most
    ) as torn
from "classes"

-- verify/whole#torn
(
    select count(*)
    from (
        select
            sum(size) as rows,
            min("group") as least,
            max("group") as most
        from "classes"
        group by "values"
    ) as grouped
    where grouped.rows <> grouped.least
        or grouped.rows <> grouped.most
)
