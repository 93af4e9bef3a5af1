-- privacy/alpha/model#violated
exists (
    select 1
    from (
        select
            value_rows,
            sum(value_rows) over (partition by class) as size,
            asked
        from (
            select
                dense_rank() over (order by "values") as class,
                max(case when "named" then 1 else 0 end) as asked,
                count(*) as value_rows
            from "release"
            group by
                "values",
                "sensitive"
        ) as value_counts
    ) as value_shares
    where asked = 1
        and value_rows * "parts" > size * "share"
)

-- privacy/alpha/model#any
1 = 1

-- privacy/alpha/model#named
("text" not in ("texts") and "text" is not null)

-- privacy/alpha/model#present
"text" is not null

-- privacy/alpha/model#misread
select
    text,
    cast(try_cast(text as varchar) as varchar) as reads
from (
    select unnest(cast($texts as varchar[])) as text
)
where cast(try_cast(text as varchar) as varchar) is distinct from text
order by text

-- privacy/alpha/recount
select
    max(first / size) as largest,
    count(*) filter (where violates) as violating_classes,
    cast(coalesce(sum(size) filter (where violates), 0) as bigint) as violating_rows
from (
    select
        sum(rows) as size,
        coalesce(max(rows) filter (where asked), 0) as first,
        cast(first as hugeint) * cast($parts as hugeint) > cast(size as hugeint) * cast($share as hugeint) as violates
    from (
        select
            "values",
            cast(sum(size) as bigint) as rows,
            $named is null
                or coalesce(list_contains(cast($named as varchar[]), cast("sensitive" as varchar)), false) as asked
        from "classes"
        group by
            "values",
            "sensitive"
    )
    group by "values"
)

-- privacy/beta_likeness/model#violated
exists (
    select 1
    from "value_counts"
    where value_rows * whole * "parts" > total * size * ("beta" + "parts")
)

-- privacy/beta_likeness/model#enhanced
exists (
    select 1
    from "value_counts"
    where value_rows * whole * "parts" > total * size * ("beta" + "parts")
        or 1.0 * value_rows * whole > 1.0 * total * size * (1 + ln(whole) - ln(total)) * 0.999999999
            and total < whole
)

-- privacy/beta_likeness/recount
select
    any_value(size) as size,
    any_value(whole) as whole,
    max(gain) as gain,
    bool_or(gain - bound > 1e-9 * (1 + bound)) as far,
    list(distinct [rows, total] order by [rows, total]) filter (where gain - bound >= -1e-9 * (1 + bound)) as near
from (
    select
        *,
        (rows / size) / (total / whole) - 1 as gain,
        case when $enhanced then least($beta, -ln(total / whole)) else $beta end as bound
    from (
        select
            "values",
            cast(sum(size) as bigint) as rows,
            sum(sum(size)) over (partition by "values") as size,
            sum(sum("everywhere")) over (partition by "sensitive") as total,
            sum(sum("everywhere")) over () as whole
        from "classes"
        group by
            "values",
            "sensitive"
    )
    where rows > 0
)
group by "values"

-- privacy/beta_likeness/recount#far
select
    max(gain) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from "counted"

-- privacy/carried#added
cast(sum("rows") as bigint)

-- privacy/carried#merged
bit_or("held")

-- privacy/carried#held
coalesce(bitstring_agg("code", 0, "last"), bitstring('0', "values"))

-- privacy/carried#rows_with
cast(coalesce(sum(base.frequency) filter (where "code" = "number"), 0) as bigint)

-- privacy/carried#rows_without
cast(coalesce(sum(base.frequency) filter (where "code" is null), 0) as bigint)

-- privacy/carried#all
("rows")

-- privacy/delta_disclosure/model#violated
exists (
    select 1
    from "value_counts"
    group by class
    having max(abs(ln(value_rows) + ln(whole) - ln(size) - ln(total))) >= "delta" * ln(2) / "parts" - 0.000000001
        or count(*) < (
            select count(*)
            from (
                select 1 as one
                from "release"
                group by "sensitive"
            ) as different
        )
)

-- privacy/delta_disclosure/recount
select
    any_value(size) as size,
    any_value(whole) as whole,
    count(*) < any_value(different) as lacks,
    max(power) as power,
    lacks or bool_or(power - $delta > 1e-9 * (1 + $delta)) as far,
    list(distinct [rows, total] order by [rows, total])
        filter (where power - $delta >= -1e-9 * (1 + $delta)) as near
from (
    select
        *,
        abs(log2((rows / size) / (total / whole))) as power
    from (
        select
            "values",
            cast(sum(size) as bigint) as rows,
            sum(sum(size)) over (partition by "values") as size,
            sum(sum("everywhere")) over (partition by "sensitive") as total,
            sum(sum("everywhere")) over () as whole,
            (
                select count(*)
                from (
                    select distinct "sensitive"
                    from "classes"
                    where "everywhere" > 0
                )
            ) as different
        from "classes"
        group by
            "values",
            "sensitive"
    )
    where rows > 0
)
group by "values"

-- privacy/delta_disclosure/recount#far
select
    coalesce(bool_or(lacks), false) as lacking,
    max(power) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from "counted"

-- privacy/delta_presence/recount
select
    max(size / people) filter (where people > 0) as largest,
    count(*) filter (where outside) as violating_classes,
    cast(coalesce(sum(size) filter (where outside), 0) as bigint) as violating_rows
from (
    select
        size,
        people,
        cast(size as hugeint) * $most_parts > cast(people as hugeint) * $most
        or cast(size as hugeint) * $least_parts < cast(people as hugeint) * $least as outside
    from "classes"
)

-- privacy/entropy_l/model#violated
exists (
    select 1
    from (
        select
            dense_rank() over (order by "values") as class,
            count(*) as value_rows
        from "release"
        group by
            "values",
            "sensitive"
    ) as value_counts
    group by class
    having sum(value_rows) * (ln(sum(value_rows)) - ln("l") + ln("parts") - 0.000000001)
        < sum(value_rows * ln(value_rows))
)

-- privacy/entropy_l/model#violating
"size" * (ln("size") - ln("l") + ln("parts"))
    - list_sum([value_rows * ln(value_rows) for value_rows in ["rows"] if value_rows > 0])
    < -1e-11 * "size"

-- privacy/entropy_l/recount
select
    sum(rows) as size,
    ln(sum(rows)) - sum(rows * ln(rows)) / sum(rows) as entropy,
    ln(sum(rows)) - sum(rows * ln(rows)) / sum(rows) - $log as above,
    above < -1e-9 as far,
    list(rows order by rows) as counts
from (
    select
        "values",
        "sensitive" as sensitive,
        cast(sum(size) as bigint) as rows
    from "classes"
    group by
        "values",
        "sensitive"
)
group by "values"

-- privacy/entropy_l/recount#far
select
    exp(min(entropy)) as fewest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from "counted"

-- privacy/entropy_l/recount#near
select
    counts,
    count(*) as classes,
    cast(sum(size) as bigint) as rows
from "counted"
where not far
    and above <= 1e-9
group by counts

-- privacy/histories/groups
select
    person,
    rows,
    count(*) over (partition by history) as persons
from (
    select
        person,
        list(["values", times] order by "values") as history,
        cast(sum(times) as bigint) as rows
    from (
        select
            person,
            "value_1",
            "value_2",
            cast(sum(frequency) as bigint) as times
        from "visits"
        group by all
    )
    group by person
)

-- privacy/histories/groups#outliers
select cast(coalesce(sum(rows), 0) as bigint) as outliers
from (
    select
        person,
        rows,
        count(*) over (partition by history) as persons
    from (
        select
            person,
            list(["values", times] order by "values") as history,
            cast(sum(times) as bigint) as rows
        from (
            select
                person,
                "value_1",
                "value_2",
                cast(sum(frequency) as bigint) as times
            from "visits"
            group by all
        )
        group by person
    )
)
where persons < $k

-- privacy/histories/groups#left_out
select
    code,
    "person_1",
    "person_2"
from (
    select
        person,
        rows,
        count(*) over (partition by history) as persons
    from (
        select
            person,
            list(["values", times] order by "values") as history,
            cast(sum(times) as bigint) as rows
        from (
            select
                person,
                "value_1",
                "value_2",
                cast(sum(frequency) as bigint) as times
            from "visits"
            group by all
        )
        group by person
    )
) as groups
join "codes" as codes
    on codes.code = groups.person
where persons < $k

-- privacy/histories/groups#nothing
false

-- privacy/histories/recount
select
    count(*) as histories,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    min(size) as fewest,
    count(*) filter (where size < $k) as violating_histories,
    cast(coalesce(sum(rows) filter (where size < $k), 0) as bigint) as violating_rows,
    cast(coalesce(sum(size) filter (where size < $k), 0) as bigint) as violating_persons
from (
    select
        count(*) as size,
        sum(rows) as rows
    from (
        select
            string_agg(tuple || ' x ' || times, ', ' order by tuple) as history,
            sum(times) as rows
        from (
            select
                "persons",
                tuple,
                cast(sum(size) as bigint) as times
            from (
                select
                    *,
                    dense_rank() over (order by "values") as tuple
                from "classes"
            )
            group by
                "persons",
                tuple
        )
        group by "persons"
    )
    group by history
)

-- privacy/histories/recount#alike
select
    count(*) as size,
    sum(rows) as rows
from (
    select
        string_agg(tuple || ' x ' || times, ', ' order by tuple) as history,
        sum(times) as rows
    from (
        select
            "persons",
            tuple,
            cast(sum(size) as bigint) as times
        from (
            select
                *,
                dense_rank() over (order by "values") as tuple
            from "classes"
        )
        group by
            "persons",
            tuple
    )
    group by "persons"
)
group by history

-- privacy/histories/visits
select
    "person" as person,
    "zip_2",
    "sex_0",
    cast(sum(base.frequency) as bigint) as frequency,
    sum(base.checksum) as checksum
from "base" as base
left join "codes"
    on "codes"."person" = base."person"
join (select * from "table" where present) as "table"
    on "table".value is not distinct from base."value"
group by all

-- privacy/histories/visits#most
select max(rows) as most
from (
    select sum(frequency) as rows
    from "visits"
    group by person
)

-- privacy/k_anonymity/model#violated
coalesce(min(size), 5) < 5

-- privacy/k_anonymity/model#violating
frequency < 5

-- privacy/k_map/model#violating
"people" < 5

-- privacy/k_map/recount
select
    min(people) as fewest,
    count(*) filter (where people < $k) as violating_classes,
    cast(coalesce(sum(size) filter (where people < $k), 0) as bigint) as violating_rows
from "classes"
where size > 0

-- privacy/l_diversity/model#counted
count(distinct "sensitive")

-- privacy/l_diversity/model#violated
coalesce(min(count(distinct "sensitive")), "l") < "l"

-- privacy/l_diversity/model#violating
bit_count("held") < "l"

-- privacy/l_diversity/recount
select
    min(diversity) as fewest,
    count(*) filter (where diversity < $l) as violating_classes,
    cast(coalesce(sum(size) filter (where diversity < $l), 0) as bigint) as violating_rows
from (
    select
        count(distinct "sensitive") as diversity,
        cast(sum(size) as bigint) as size
    from "classes"
    group by "values"
)

-- privacy/near
select
    near,
    cast(size as bigint) as size,
    cast(whole as bigint) as whole,
    count(*) as classes,
    cast(sum(size) as bigint) as rows
from "counted"
where not far
    and near is not null
group by
    near,
    size,
    whole

-- privacy/persons/codes
select
    "persons",
    row_number() over (order by "persons") - 1 as code
from (
    select distinct "persons"
    from "base"
)

-- privacy/persons/codes#coded
left join "codes"
    on "codes"."person" = base."person"

-- privacy/persons/codes#match
"codes"."person" = base."person"

-- privacy/persons/codes#spread
select
    (
        select count(*)
        from (
            select distinct "persons"
            from "base"
        )
    ) as persons,
    (
        select count(*)
        from (
            select distinct
                "values",
                "persons"
            from "base"
        )
    ) as pairs,
    cast(sum(frequency) as bigint) as rows,
    count(*) filter (where "person" is null) as without
from "base"

-- privacy/persons/codes#missing
"person" is null

-- privacy/persons/codes#alike
select count(*) as persons
from (
    select distinct
        strip_accents(lower(trim("person")))
    from "codes"
)

-- privacy/persons/codes#folded
strip_accents(lower(trim("person")))

-- privacy/persons/held
list_slice(list_sort(list_distinct(list("code"))), 1, "most")

-- privacy/persons/held#merged
list_slice(list_sort(list_distinct(flatten(list("persons")))), 1, "most")

-- privacy/persons/held#running
list_slice(
    list_sort(
        list_distinct(
            flatten(list(counted."persons") over (partition by region order by child rows between unbounded preceding and current row))
        )
    ),
    1,
    "most"
) as "side"

-- privacy/persons/held#counted
count(distinct "code")

-- privacy/persons/held#having
count(distinct "person") filter (where "code" = "number")

-- privacy/persons/held#without
count(distinct "person") filter (where "code" is null)

-- privacy/persons/recount
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(persons) as fewest,
    count(*) filter (where persons < $k) as violating_classes,
    cast(coalesce(sum(size) filter (where persons < $k), 0) as bigint) as violating_rows,
    cast(coalesce(sum(persons) filter (where persons < $k), 0) as bigint) as violating_persons
from (
    select
        count(distinct ("persons")) as persons,
        cast(sum(size) as bigint) as size
    from "classes"
    group by "values"
)

-- privacy/persons/recount#sizes
select count(distinct ("persons")) as size
from "classes"
group by "values"

-- privacy/persons/recount#everybody
select count(*) as persons
from (
    select distinct "persons"
    from "classes"
)

-- privacy/persons/recount#apart
select distinct
    "columns",
    cast(1 as bigint) as size
from "classes"

-- privacy/persons/recount#nobody
select count(*) as without
from "classes"
where "person" is null

-- privacy/persons/script#once
(
    select distinct
        "columns"
    from "release"
) as persons_once

-- privacy/persons/script#nobody
sum(case when "person" is null then 1 else 0 end)

-- privacy/persons/script#violated
coalesce(min(size), 5) < 5 or coalesce(max(sum(case when "person" is null then 1 else 0 end)), 0) > 0

-- privacy/persons/violating
len("persons") < 5

-- privacy/persons/violating#counted
"persons" < 5

-- privacy/population
(
    select
        *,
        cast(0 as bigint) as people
    from "base"
    union all by name
    select
        *,
        0 as checksum,
        0 as frequency
    from "population"
)

-- privacy/population#typed
select
    try_cast("text" as varchar) as "value_1",
    try_cast("text" as varchar) as "value_2",
    people
from "told"

-- privacy/population#value
try_cast("text" as varchar)

-- privacy/population#misread
select count(distinct "text") as strange
from "told"
where "text" is not null
    and cast(try_cast("text" as varchar) as varchar) is distinct from "text"

-- privacy/population#size
select
    cast(sum(people) as bigint) as people,
    count(*) as tuples
from "population"

-- privacy/population#domain
select "value" as value
from "base"
union
select "value"
from "population"

-- privacy/population#members
(
    select
        * replace (present and exists (
            select 1
            from (select distinct "value" as value from "base") as own
            where own.value is not distinct from member.value
        ) as present),
        present as inhabited
    from "members" as member
)

-- privacy/population#join
join (select * from "table" where inhabited) as "table"
    on "table".value is not distinct from base."value"

-- privacy/population#own
select *
from "peopled"
where frequency > 0

-- privacy/population#beyond
select
    cast(sum("people") as bigint) as people,
    count(*) filter (where frequency > "people") as tuples
from "peopled"

-- privacy/population#carried
cast(coalesce(sum(base.people), 0) as bigint)

-- privacy/population#counted
greatest(frequency, 1)

-- privacy/population#rows
(frequency > 0 and ("models"))

-- privacy/recursive_l/model#violated
exists (
    select 1
    from (
        select
            dense_rank() over (order by "values") as class,
            count(*) as value_rows,
            row_number() over (partition by "values" order by count(*) desc) as place
        from "release"
        group by
            "values",
            "sensitive"
    ) as value_counts
    group by class
    having max(value_rows) * "parts" >= sum(case when place >= "l" then value_rows else 0 end) * "c"
)

-- privacy/recursive_l/model#violating
(
    cast(greatest("rows") as hugeint) * "parts"
    >= cast(coalesce(list_sum(list_reverse_sort(["rows"])["l":]), 0) as hugeint) * "c"
)

-- privacy/recursive_l/recount
select
    first,
    rest,
    count(*) as classes,
    cast(sum(size) as bigint) as rows
from (
    select
        max(rows) as first,
        cast(coalesce(sum(rows) filter (where place >= $l), 0) as bigint) as rest,
        sum(rows) as size
    from (
        select
            "values",
            cast(sum(size) as bigint) as rows,
            row_number() over (partition by "values" order by sum(size) desc) as place
        from "classes"
        group by
            "values",
            "sensitive"
    )
    group by "values"
)
group by
    first,
    rest

-- privacy/released
(
    select
        dense_rank() over (order by "values") as class,
        count(*) as value_rows,
        sum(count(*)) over (partition by "values") as size,
        sum(count(*)) over (partition by "sensitive") as total,
        sum(count(*)) over () as whole
    from "release"
    group by
        "values",
        "sensitive"
) as value_counts

-- privacy/released#text
cast("sensitive" as varchar)

-- privacy/released.mariadb#text
cast("sensitive" as char) collate utf8mb4_nopad_bin

-- privacy/released.postgresql#text
cast("sensitive" as text) collate "C"

-- privacy/released.spark#text
cast(`sensitive` as string)

-- privacy/released.sqlite#text
case typeof("sensitive")
    when 'real' then case "sensitive"
        when cast(printf('%!.15g', "sensitive") as real) then printf('%!.15g', "sensitive")
        when cast(printf('%!.16g', "sensitive") as real) then printf('%!.16g', "sensitive")
        else printf('%!.17g', "sensitive")
    end
    else cast("sensitive" as text)
end collate binary

-- privacy/shares#above
cast("rows" as hugeint) * "parts" > cast("size" as hugeint) * "share"

-- privacy/shares#below
cast("rows" as hugeint) * "parts" < cast("size" as hugeint) * "share"

-- privacy/shares#never
false

-- privacy/t_closeness/model#at
when "text" then "place"

-- privacy/t_closeness/model#climbed
"level" * least(greatest((("rows") * "whole" - "size" * "total"), 0), greatest(-(("rows") * "whole" - "size" * "total"), 0))

-- privacy/t_closeness/model#along
coalesce(
    list_sum([
        abs(list_sum(["rows"][1:place]) * "whole" - "size" * list_sum(["totals"][1:place]))
        for place in range(1, "values")
    ]),
    0
)

-- privacy/t_closeness/model#extra
(("rows") * "whole" - "size" * "total")

-- privacy/t_closeness/model#less
greatest(-(("rows") * "whole" - "size" * "total"), 0)

-- privacy/t_closeness/model#more
greatest((("rows") * "whole" - "size" * "total"), 0)

-- privacy/t_closeness/model#violating
cast("moved" as hugeint) * "parts" > cast("size" as hugeint) * "most"

-- privacy/t_closeness/recount
select
    dense_rank() over (order by "values") as class,
    cast("sensitive" as varchar) as text,
    cast(sum(size) as bigint) as rows,
    sum(sum(size)) over (partition by "values") as size,
    sum(sum("everywhere")) over (partition by "sensitive") as total,
    sum(sum("everywhere")) over () as whole
from "classes"
group by
    "values",
    "sensitive"

-- privacy/t_closeness/recount#judged
select
    max(moved / (cast(size as double) * whole * $scale)) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from (
    select
        *,
        cast(moved as hugeint) * cast($parts as hugeint)
            > cast(size as hugeint) * cast(whole as hugeint) * cast($most as hugeint) as far
    from (
select *
from "moved"
    )
)

-- privacy/t_closeness/recount#moved_along
select
    any_value(size) as size,
    any_value(whole) as whole,
    sum(abs(until)) as moved
from (
    select
        class,
        size,
        whole,
        sum(extra) over (partition by class order by place) as until
    from "every" as every
    join "places" as place
        on place.text is not distinct from every.text
)
group by class

-- privacy/t_closeness/recount#moved_anywhere
select
    any_value(size) as size,
    any_value(whole) as whole,
    sum(greatest(cast(rows as hugeint) * whole - cast(total as hugeint) * size, 0)) as moved
from "counted"
where size > 0
group by class

-- privacy/t_closeness/recount#moved_up
select
    any_value(size) as size,
    any_value(whole) as whole,
    sum(level * least(more, less)) as moved
from (
    select
        class,
        any_value(size) as size,
        any_value(whole) as whole,
        level + 1 as level,
        sum(greatest(extra, 0)) as more,
        sum(greatest(-extra, 0)) as less
    from (
        select
            class,
            any_value(size) as size,
            any_value(whole) as whole,
            level,
            node,
            parent,
            sum(extra) as extra
        from "every" as every
        join "tree" as tree
            on tree.leaf is not distinct from every.text
        group by
            class,
            level,
            node,
            parent
    )
    group by
        class,
        level,
        parent
)
group by class

-- privacy/t_closeness/recount#every
select
    each.class,
    each.size,
    each.whole,
    value_of.text,
    cast(coalesce(found.rows, 0) as hugeint) * each.whole - cast(value_of.total as hugeint) * each.size as extra
from (
    select distinct
        class,
        size,
        whole
    from "counted"
    where size > 0
) as each
cross join (
    select distinct
        text,
        total
    from "counted"
) as value_of
left join "counted" as found
    on found.class = each.class
    and found.text is not distinct from value_of.text

-- privacy/t_closeness/recount#places
select
    unnest(cast($texts as varchar[])) as text,
    unnest(range(len(cast($texts as varchar[])))) as place

-- privacy/t_closeness/recount#texts
select distinct text
from "counted"

-- privacy/t_closeness/recount#tree
select
    unnest(cast($leaves as varchar[])) as leaf,
    unnest(cast($levels as bigint[])) as level,
    unnest(cast($nodes as bigint[])) as node,
    unnest(cast($parents as bigint[])) as parent

-- privacy/t_closeness/recount#lines
select
    cast(value as varchar) as text,
    "levels"
from "members"
where present

-- privacy/t_closeness/script#violated
exists (
    select 1
    from "value_counts"
    group by class
    having sum(
        case when value_rows * whole > total * size then value_rows * whole - total * size else 0 end
    ) * "parts" > max(size) * max(whole) * "t"
)

-- privacy/t_closeness/script#ordered
exists (
    with value_counts as (
        select
            dense_rank() over (order by "values") as class,
            max("text") as leaf,
            max("place") as place,
            count(*) as value_rows,
            sum(count(*)) over (partition by "values") as size,
            sum(count(*)) over (partition by "sensitive") as total,
            sum(count(*)) over () as whole
        from "release"
        group by
            "values",
            "sensitive"
    ),

    every as (
        select
            judged.class,
            judged.size,
            judged.whole,
            value_of.place,
            value_of.total,
            coalesce(found.value_rows, 0) as value_rows
        from (select distinct class, size, whole from value_counts) as judged
        cross join (select place, max(total) as total from value_counts group by place) as value_of
        left join value_counts as found
            on found.class = judged.class
            and found.place = value_of.place
    ),

    running as (
        select
            class,
            size,
            whole,
            sum(value_rows) over (partition by class order by place) * whole
            - sum(total) over (partition by class order by place) * size as extra
        from every
    )

    select 1
    from running
    group by class
    having sum(abs(extra)) * "parts"
        > max(size) * max(whole) * "t" * (select count(distinct place) - 1 from value_counts)
        or exists (select 1 from value_counts where place is null)
        or (select count(distinct place) from value_counts) > "places"
        or exists (select 1 from value_counts group by place having count(distinct leaf) > 1)
)

-- privacy/t_closeness/script#hierarchical
exists (
    with value_counts as (
        select
            dense_rank() over (order by "values") as class,
            max("text") as leaf,
            count(*) as value_rows,
            sum(count(*)) over (partition by "values") as size,
            sum(count(*)) over (partition by "sensitive") as total,
            sum(count(*)) over () as whole
        from "release"
        group by
            "values",
            "sensitive"
    ),

    tree as (
        select "leaf" as leaf, "level" as level, "node" as node, "parent" as parent
    ),

    extras as (
        select
            judged.class,
            judged.size,
            judged.whole,
            node.level,
            node.node,
            node.parent,
            sum(coalesce(found.value_rows, 0) * judged.whole - value_of.total * judged.size) as extra
        from (select distinct class, size, whole from value_counts) as judged
        cross join (select leaf, max(total) as total from value_counts group by leaf) as value_of
        join tree as node
            on node.leaf = value_of.leaf
            or (node.leaf is null and value_of.leaf is null)
        left join value_counts as found
            on found.class = judged.class
            and (found.leaf = value_of.leaf or (found.leaf is null and value_of.leaf is null))
        group by
            judged.class,
            judged.size,
            judged.whole,
            node.level,
            node.node,
            node.parent
    ),

    climbed as (
        select
            class,
            size,
            whole,
            (level + 1) * case
                when sum(case when extra > 0 then extra else 0 end) < sum(case when extra < 0 then -extra else 0 end)
                then sum(case when extra > 0 then extra else 0 end)
                else sum(case when extra < 0 then -extra else 0 end)
            end as moved
        from extras
        group by
            class,
            size,
            whole,
            level,
            parent
    )

    select 1
    from climbed
    group by class
    having sum(moved) * "parts" > max(size) * max(whole) * "t" * "height"

    union all

    select 1
    from value_counts
    where not exists (
        select 1
        from tree
        where tree.leaf = value_counts.leaf
            or (tree.leaf is null and value_counts.leaf is null)
    )
)

-- privacy/t_closeness/script#node
select "leaf" as leaf, "level" as level, "node" as node, "parent" as parent

-- privacy/t_closeness/script#placed
case when "text" is null then "missing" else case "text" when "text" then "place" end end

-- privacy/t_closeness/script#placed_alone
case when "text" is null then "missing" end

-- privacy/t_closeness/script#number
cast("text" as double)

-- privacy/t_closeness/script#missing
null

-- privacy/t_closeness/script.mariadb#number
cast("text" as decimal(65, 20))

-- privacy/t_closeness/script.postgresql#number
cast("text" as numeric)

-- privacy/t_closeness/script.sqlite#number
cast("text" as real)

-- privacy/tuples
select
    "values",
    sum(base.checksum) as checksum,
    cast(sum(base.frequency) as bigint) as frequency
from "base" as base
left join "codes"
    on "codes".value = base."value"
group by "values"

-- privacy/tuples#totals
sum(base.checksum) as checksum,
cast(sum(base.frequency) as bigint) as frequency

-- privacy/tuples#coded
left join "codes"
    on "codes".value = base."value"

-- privacy/tuples#codes
select
    value,
    row_number() over (order by value) - 1 as code
from (
    select distinct "value" as value
    from "base"
    where "value" is not null
)

-- privacy/tuples#frequencies
select
    "codes".code,
    cast("codes".value as varchar) as text,
    cast(sum(base.frequency) as bigint) as rows
from "base" as base
left join "codes"
    on "codes".value = base."value"
group by
    "codes".code,
    "codes".value
order by "codes".code nulls last

-- privacy/tuples#rows
cast(sum(base.frequency) as bigint)

-- privacy/tuples#persons
count(distinct "person")

-- privacy/violating
("models")

-- privacy/whole
select "violating" as violated
from (
    select
        cast(sum(frequency) as bigint) as frequency
    from "facts"
)
