-- earlier/classes
select
    row_number() over (order by "cells") as class,
    "cells"
from (
    select distinct "cells"
    from "recoded"
)

-- earlier/covers
with
known as (
    select distinct
        "cell" as cell,
        try_cast(regexp_extract("cell", '^\[([-0-9.]+), ([-0-9.]+)\]$', 1) as decimal(38, 18)) as low,
        try_cast(regexp_extract("cell", '^\[([-0-9.]+), ([-0-9.]+)\]$', 2) as decimal(38, 18)) as high
    from "classes"
),
reads as (
    select
        cast(member.value as varchar) as value,
        unnest(["levels"]) as read
    from "members" as member
    where member.present
    union all
    select
        cast(found.value as varchar) as value,
        "top" as read
    from "values" as found
    where not exists (
        select 1
        from "members" as member
        where member.present
            and member.value is not distinct from found.value
    )
)
select distinct
    reads.value,
    known.cell
from reads
join known
    on known.cell is not distinct from reads.read
union
select distinct
    reads.value,
    known.cell
from reads
join known
    on try_cast(reads.value as decimal(38, 18)) between known.low and known.high

-- earlier/covers#values
select "value" as value
from "base"
union
select try_cast("earlier" as varchar) as value
from "tuples"
where "earlier" is null
    or try_cast("earlier" as varchar) is not null

-- earlier/covers#top
select max("level") as top
from "members"

-- earlier/groups
with
earlier as (
    from "earlier"
),
now as (
    from "now"
),
pieces as (
    select
        earlier.class as earlier_class,
        now.class,
        least(earlier.lower + earlier.rows, now.lower + now.rows) - greatest(earlier.lower, now.lower) as rows
    from earlier
    join now
        on earlier."earlier" is not distinct from now."now"
    where least(earlier.lower + earlier.rows, now.lower + now.rows) > greatest(earlier.lower, now.lower)
    union all
    select
        earlier.class as earlier_class,
        null as class,
        earlier.lower + earlier.rows - greatest(earlier.lower, coalesce(now.total, 0)) as rows
    from earlier
    left join now
        on now.lower = 0
        and earlier."earlier" is not distinct from now."now"
    where earlier.lower + earlier.rows > coalesce(now.total, 0)
    union all
    select
        null as earlier_class,
        now.class,
        now.lower + now.rows - greatest(now.lower, coalesce(earlier.total, 0)) as rows
    from now
    left join earlier
        on earlier.lower = 0
        and earlier."earlier" is not distinct from now."now"
    where now.lower + now.rows > coalesce(earlier.total, 0)
)
select
    earlier_class,
    class,
    cast(sum(rows) as bigint) as rows
from pieces
group by
    earlier_class,
    class

-- earlier/groups#match
earlier."earlier" is not distinct from now."now"

-- earlier/held
select distinct
    classes.class,
    "number" as attribute,
    cast(staged."sensitive" as varchar) as value
from "staged" as staged
join "classes" as classes
    on cast(staged."staged" as varchar) is not distinct from classes."cell"
where staged."sensitive" is not null

-- earlier/held#match
cast(staged."staged" as varchar) is not distinct from classes."cell"

-- earlier/held#none
select
    cast(null as bigint) as class,
    cast(null as integer) as attribute,
    cast(null as varchar) as value
limit 0

-- earlier/hold
select
    * exclude (missing, size, absent, earlier, going),
    cast(least(missing, greatest(0, going - earlier)) as bigint) as left_now,
    cast(missing - least(missing, greatest(0, going - earlier)) as bigint) as held
from (
    select
        *,
        case
            when absent < $k then 0
            when absent = size or size - absent >= $k then absent
            when size - $k >= $k then size - $k
            else 0
        end as going
    from (
        select
            *,
            sum(rows) over (partition by "class") as size,
            sum(missing) over (partition by "class") as absent,
            sum(missing) over (
                partition by "class"
                order by "order"
                rows between unbounded preceding and current row
            ) - missing as earlier
        from (
            select
                before.*,
                before.rows - greatest(0, least(before.rows, coalesce(source.rows, 0) - before.lower)) as missing
            from "before" as before
            left join "source" as source
                on "one" is not distinct from "other"
                and source.row = before.row
            where not before.gone
        )
    )
)

-- earlier/hold#rows
select
    "value_1",
    "value_2",
    cast(md5_number_lower(md5(coalesce('=' || cast("cell" as varchar), ''))) >> 1 as bigint) as "kept_1",
    cast(md5_number_lower(md5(coalesce('=' || cast("cell" as varchar), ''))) >> 1 as bigint) as "kept_2",
    count(*) as rows
from "source" as source
group by all

-- earlier/hold#cells
select
    cast(md5_number_lower(md5(coalesce('=' || cast("cell" as varchar), ''))) >> 1 as bigint) as "kept_1",
    cast(md5_number_lower(md5(coalesce('=' || cast("cell" as varchar), ''))) >> 1 as bigint) as "kept_2"
from "source" as source
group by row

-- earlier/hold#kept
any_value("text")

-- earlier/hold#still
select
    "values",
    "levels",
    row,
    turn,
    cast(
        sum(rows - left_now) over (
            partition by "values", row
            order by turn, lower
            rows between unbounded preceding and current row
        ) - (rows - left_now) as bigint
    ) as lower,
    rows - left_now as rows
from "departures"
where rows > left_now

-- earlier/hold#held
select
    cast("text" as varchar)
from "departures" as departures, range(departures.held)

-- earlier/hold#as_it_was
cast("text" as varchar)

-- earlier/hold#source
(
    select
        "columns"
    from "source" as source
    union all
    select
        "columns"
    from "held" as source
)

-- earlier/hold#barred
select source.row
from (
    select
        row,
        "cell" as cell
    from "source"
) as source
join (
    select "cell" as cell
    from "departures"
    where held > 0 or left_now > 0
    union
    select "cell" as cell
    from "before"
    where gone
) as known
    on known.cell is not distinct from source.cell
left join (
    select
        "cell" as cell,
        sum(rows) as rows
    from "before"
    group by all
) as shown
    on shown.cell is not distinct from source.cell
join (
    select
        "cell" as cell,
        sum(rows) as rows
    from "source"
    group by all
) as there
    on there.cell is not distinct from source.cell
where greatest(coalesce(shown.rows, 0), there.rows) < $k

-- earlier/hold#pool
select *
from "pool"
where row not in (
    select row
    from "barred"
)

-- earlier/hold#shown
select
    recoding.*,
    "cell_1",
    "cell_2",
    false as gone
from "shown" as recoding
join "table"
    on "table".present
    and cast("table".value as varchar) is not distinct from recoding."value"
join "kept" as kept
    on kept.row = recoding.row
union all by name
select *
from "gone"

-- earlier/hold#gone
select distinct
    "columns",
    cast(0 as bigint) as turn,
    cast(0 as bigint) as lower,
    cast(0 as bigint) as rows,
    true as gone
from (
    select "columns"
    from "departures"
    where left_now > 0
    union all
    select "columns"
    from "before"
    where gone
)

-- earlier/hold#lines
select
    "columns",
    row,
    turn,
    lower,
    rows
from "shown"
where not gone

-- earlier/hold#nobody
select cast(0 as bigint) as row
limit 0

-- earlier/joint
select
    min(rows) as joint_k,
    count(*) as groups,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    cast(coalesce(sum(rows) filter (where rows < $k), 0) as bigint) as rows_below,
    cast(coalesce(sum(rows) filter (where class is null), 0) as bigint) as rows_gone,
    cast(coalesce(sum(rows) filter (where earlier_class is null), 0) as bigint) as rows_new
from "groups"

-- earlier/mapping
select
    "values",
    "cells",
    tuples.rows as "rows"
from "tuples" as tuples
join "classes" as classes
    on classes.class = tuples.class
order by all

-- earlier/masked
select
    "columns"
from "source" as source
join "masks" as masks
    on "one" is not distinct from "other"
join "classes" as classes
    on classes.class = masks.class
order by hash(7, "columns")

-- earlier/masks
with
weighed as (
    select
        classes.*,
        "share".loss as loss
    from "classes" as classes
    join (
        select
            cell,
            (count(*) - 1) / greatest(
                (
                    select count(distinct coalesce('=' || value, ''))
                    from "covers"
                ) - 1,
                1
            ) as loss
        from "covers"
        group by cell
    ) as "share"
        on "share".cell is not distinct from classes."cell"
),
seen as (
    select
        base."value",
        arg_max(weighed.class, (weighed.loss, weighed.class)) as class
    from "base" as base
    join "tuples" as tuples
        on cast(base."value" as varchar) is not distinct from tuples."earlier"
    join weighed
        on weighed.class = tuples.class
    group by base."value"
),
unseen as (
    select "values"
    from "base"
    except all
    select "values"
    from seen
)
select *
from seen
union all
select
    base."value",
    arg_min(weighed.class, (weighed.loss, weighed.class)) as class
from unseen as base
join "covers"
    on "covers".value is not distinct from cast(base."value" as varchar)
    and "covers".cell is not distinct from weighed."cell"
group by base."value"

-- earlier/masks#seen
cast(base."value" as varchar) is not distinct from tuples."earlier"

-- earlier/masks#chosen
base."value"

-- earlier/masks#loss
"share".loss

-- earlier/masks#share
join (
    select
        cell,
        (count(*) - 1) / greatest(
            (
                select count(distinct coalesce('=' || value, ''))
                from "covers"
            ) - 1,
            1
        ) as loss
    from "covers"
    group by cell
) as "share"
    on "share".cell is not distinct from classes."cell"

-- earlier/masks#first
join "covers"
    on "covers".value is not distinct from cast(base."value" as varchar)
join weighed
    on weighed."cell" is not distinct from "covers".cell

-- earlier/masks#covered
join "covers"
    on "covers".value is not distinct from cast(base."value" as varchar)
    and "covers".cell is not distinct from weighed."cell"

-- earlier/persons
select
    *,
    cast(sum(rows) over (partition by whose) as bigint) as total
from (
    select
        unhex(sha256(concat($run, ' ', length(cast(base."person" as varchar)), ':', cast(base."person" as varchar)))) as whose,
        cast(base."value" as varchar) as "column",
        tuples.class,
        cast(sum(base.frequency) as bigint) as rows
    from "base" as base
    left join "tuples" as tuples
        on cast(base."value" as varchar) is not distinct from tuples."column"
    group by all
)

-- earlier/persons#value
cast(base."value" as varchar) as "column"

-- earlier/persons#person
' ', length(cast(base."person" as varchar)), ':', cast(base."person" as varchar)

-- earlier/persons#match
cast(base."value" as varchar) is not distinct from tuples."column"

-- earlier/persons#parts
select count(*) as parts
from (
    select
        "values",
        sum(frequency) as rows
    from "base"
    group by all
) as base
join "tuples" as tuples
    on cast(base."value" as varchar) is not distinct from tuples."column"
where base.rows <> tuples.rows

-- earlier/persons#kept
select *
from "persons"
where class is not null

-- earlier/persons#groups
with
both_of as (
    select
        coalesce(earlier.whose, now.whose) as whose,
        earlier.class as earlier_class,
        now.class,
        coalesce(earlier.rows, 0) as before,
        coalesce(now.rows, 0) as after,
        earlier.total as total_before,
        now.total as total_after
    from "earlier" as earlier
    full join "now" as now
        on earlier.whose = now.whose
        and earlier."earlier" is not distinct from now."now"
),
known as (
    select
        *,
        max(total_before) over (partition by whose) is not distinct from 1
        and max(total_after) over (partition by whose) is not distinct from 1 as single,
        bool_or(before > after) over (partition by whose)
        and bool_or(after > before) over (partition by whose) as changed
    from both_of
),
pieces as (
    select
        whose,
        max(earlier_class) as earlier_class,
        max(class) as class,
        1 as rows,
        false as unsure
    from known
    where single
    group by whose
    union all
    select
        whose,
        earlier_class,
        class,
        least(before, after) as rows,
        changed as unsure
    from known
    where not single
        and least(before, after) > 0
    union all
    select
        whose,
        earlier_class,
        null as class,
        before - after as rows,
        changed as unsure
    from known
    where not single
        and before > after
    union all
    select
        whose,
        null as earlier_class,
        class,
        after - before as rows,
        changed as unsure
    from known
    where not single
        and after > before
)
select
    earlier_class,
    class,
    count(distinct whose) as persons,
    cast(sum(rows) as bigint) as rows,
    count(distinct whose) filter (where unsure) as unsure
from pieces
where earlier_class is not null
    or class is not null
group by
    earlier_class,
    class

-- earlier/persons#same
earlier."earlier" is not distinct from now."now"

-- earlier/persons#joint
select
    min(persons) as joint_k,
    count(*) as groups,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    cast(coalesce(sum(rows) filter (where persons < $k), 0) as bigint) as rows_below,
    cast(coalesce(sum(rows) filter (where class is null), 0) as bigint) as rows_gone,
    cast(coalesce(sum(rows) filter (where earlier_class is null), 0) as bigint) as rows_new,
    coalesce(bool_or(unsure > 0), false) as unsure
from "groups"

-- earlier/published
select
    (
        select count(*)
        from (
            select
                "cells",
                sum(tuples.rows) as rows
            from "classes" as classes
            join "tuples" as tuples using (class)
            group by all
        ) as released
        full join (
            select
                "cell_1",
                "cell_2",
                sum(there.size) as rows
            from "there" as there
            group by all
        ) as found
            on "one" is not distinct from "other"
        where released.rows is distinct from found.rows
    ) + (
        select count(*)
        from (
            (
                from "held"
                except
                from ("values")
            )
            union all
            (
                from ("values")
                except
                from "held"
            )
        )
    ) as different

-- earlier/recoded
select
    "value_1",
    "value_2",
    "cell_1",
    "cell_2",
    cast(recoding.frequency as bigint) as rows,
    cast(0 as bigint) as lower,
    cast(recoding.frequency as bigint) as total
from "recoding" as recoding
join "table"
    on "table".code = "code"
where not recoding.suppressed

-- earlier/recoded#whole
cast(recoding.frequency as bigint) as rows,
cast(0 as bigint) as lower,
cast(recoding.frequency as bigint) as total

-- earlier/recoded#split
recoding.frequency as rows,
cast(
    sum(recoding.frequency) over (
        partition by "codes"
        order by "levels"
        rows between unbounded preceding and current row
    ) - recoding.frequency as bigint
) as lower,
cast(sum(recoding.frequency) over (partition by "codes") as bigint) as total

-- earlier/recoded#parts
(
    select
        "codes",
        "levels",
        cast(sum(frequency) as bigint) as frequency,
        suppressed
    from "recoding"
    where not suppressed
    group by all
)

-- earlier/recoded#is_split
select count(*) > 0 as split
from "recoded"
where lower > 0

-- earlier/refresh
select "cells"
from (
    select
        "columns"
    from (
        select
            source.*,
            row_number() over (partition by "quasi_identifiers", source."row") as "copy"
        from (
            select
                source.*,
                cast(md5_number_lower(md5(coalesce('=' || cast("cell" as varchar), ''))) >> 1 as bigint) as "row"
            from "source" as source
        ) as source
    ) as source
    join "table"
        on "one" = "other"
        and "table".present
    join "mapping" as mapping
        on "one" = "other"
        and mapping.row = source."row"
        and source."copy" > mapping.lower
        and source."copy" <= mapping.upper
) as released
order by hash(7, "columns")

-- earlier/refresh#hash
cast(md5_number_lower(md5(coalesce('=' || cast("cell" as varchar), ''))) >> 1 as bigint)

-- earlier/refresh#cell
md5(coalesce('=' || cast("cell" as varchar), ''))

-- earlier/refresh#rows
select
    "codes",
    source."row" as row,
    count(*) as rows
from (
    select
        source.*,
        cast(md5_number_lower(md5(coalesce('=' || cast("cell" as varchar), ''))) >> 1 as bigint) as "row"
    from "source" as source
) as source
join "table"
    on "one" = "other"
    and "table".present
group by all

-- earlier/refresh#there
select
    "codes",
    "levels",
    "cell_1",
    "cell_2",
    recoding.row,
    recoding.turn,
    least(rows.rows, recoding.lower + recoding.rows) - recoding.lower as rows
from "shown" as recoding
join "table"
    on "table".present
    and cast("table".value as varchar) is not distinct from recoding."value"
join "rows" as rows
    on "one" = "other"
    and rows.row = recoding.row
where rows.rows > recoding.lower

-- earlier/refresh#member
join "table"
    on "table".present
    and cast("table".value as varchar) is not distinct from recoding."value"

-- earlier/refresh#stay
select
    "codes",
    "levels",
    row,
    turn,
    rows,
    cast(
        sum(rows) over (
            partition by "codes", row
            order by turn, "levels"
            rows between unbounded preceding and current row
        ) - rows as bigint
    ) as lower
from (
    select
        *,
        sum(rows) over (partition by "cells") as size
    from "there"
)
where size >= $k

-- earlier/refresh#pool
select
    "codes",
    rows.row,
    rows.rows - coalesce(stay.rows, 0) as rows,
    coalesce(stay.rows, 0) as lower
from "rows" as rows
left join (
    select
        "kept",
        row,
        cast(sum(rows) as bigint) as rows
    from "stay"
    group by all
) as stay
    on "one" = "other"
    and stay.row = rows.row
where rows.rows > coalesce(stay.rows, 0)

-- earlier/refresh#facts
select star.* replace (pool.rows as frequency)
from "star" as star
join (
    select
        "codes",
        cast(sum(rows) as bigint) as rows
    from "pool"
    group by all
) as pool
    on "one" = "other"

-- earlier/refresh#loss
select sum(("share".loss) * rows) / sum(rows) as loss
from "recoding" as recoding
join "generalization" as "share"
    on "share".dimension = 1
    and "share".code = recoding."code"
    and "share".level = recoding."level"

-- earlier/refresh#loss_of
"share".loss

-- earlier/refresh#share
join "generalization" as "share"
    on "share".dimension = 1
    and "share".code = recoding."code"
    and "share".level = recoding."level"

-- earlier/refresh#new
select
    "codes",
    "levels"
from "recoding" as recoding
join "generalization" as "share"
    on "share".dimension = 1
    and "share".code = recoding."code"
    and "share".level = recoding."level"
where not recoding.suppressed
    and "share".loss <= $dearest

-- earlier/refresh#nobody
select
    "columns"
from "stay"
limit 0

-- earlier/refresh#mapping
select
    "codes",
    "levels",
    row,
    turn,
    lower,
    lower + rows as upper
from "stay"
union all
select
    "pooled",
    "levels",
    pool.row,
    cast($turn as bigint) as turn,
    pool.lower,
    pool.lower + pool.rows as upper
from "pool" as pool
join "new" as new
    on "one" = "other"

-- earlier/refresh#recoding
select
    "codes",
    "levels",
    turn,
    cast(sum(upper - lower) as bigint) as frequency,
    false as suppressed
from "mapping"
group by all
union all
select
    "code_1",
    "code_2",
    cast(0 as utinyint) as "level_1",
    cast(0 as utinyint) as "level_2",
    cast($turn as bigint) as turn,
    star.frequency - coalesce(shown.rows, 0) as frequency,
    true as suppressed
from "star" as star
left join (
    select
        "codes",
        cast(sum(upper - lower) as bigint) as rows
    from "mapping"
    group by all
) as shown
    on "one" = "other"
where star.frequency > coalesce(shown.rows, 0)

-- earlier/refresh#zero
cast(0 as utinyint)

-- earlier/refresh#shown
select
    "values",
    "levels",
    mapping.row,
    mapping.turn,
    mapping.lower,
    mapping.upper - mapping.lower as rows
from "mapping" as mapping
join "table"
    on "table".code = "code"

-- earlier/refresh#counted
select
    cast(coalesce(sum(upper - lower) filter (where turn < $turn), 0) as bigint) as stayed,
    cast(coalesce(sum(upper - lower) filter (where turn = $turn), 0) as bigint) as new,
    (
        select cast(coalesce(sum(rows), 0) as bigint)
        from "shown"
    ) as before
from "mapping"

-- earlier/refresh#nothing
select
    "values",
    "levels",
    cast(0 as bigint) as row,
    cast(0 as bigint) as turn,
    cast(0 as bigint) as lower,
    cast(0 as bigint) as rows
limit 0

-- earlier/refresh#no_value
cast(null as varchar)

-- earlier/refresh#last
select coalesce(max(turn), -1) as turn
from "shown"

-- earlier/shared
select min(shared) as least
from (
    select count(now.value) as shared
    from "groups" as groups
    left join "earlier" as earlier
        on earlier.class = groups.earlier_class
        and earlier.attribute = $earlier
    left join "now" as now
        on now.class = groups.class
        and now.attribute = $attribute
        and now.value = earlier.value
    where groups.earlier_class is not null
        and groups.class is not null
    group by
        groups.earlier_class,
        groups.class
)

-- earlier/tuples
select
    "values",
    classes.class,
    recoded.rows,
    recoded.lower,
    recoded.total
from "recoded" as recoded
join "classes" as classes
    on "one" is not distinct from "other"
