-- recoding/by_person
select
    "person_1",
    "person_2",
    "codes",
    "levels"
from "recoding" as recoding
join "persons" as codes
    on codes.code = recoding.person
where not recoding.suppressed

-- recoding/full_domain
select
    "code_1",
    "code_2",
    "level_1",
    "level_2",
    frequency,
    (("value_group") in (select ("values") from "outliers")) as suppressed
from "star"

-- recoding/full_domain#none_rare
false

-- recoding/full_domain#rare
(("value_group") in (select ("values") from "outliers"))

-- recoding/full_domain#level
cast("level" as utinyint)

-- recoding/generalized
select
    "cell_1",
    "cell_2",
    recoding.frequency as frequency,
    "checksum" as checksum
from "recoding" as recoding
join "table"
    on "table".code = "code"
where not recoding.suppressed

-- recoding/generalized#value_groups
select
    "cell_1",
    "cell_2",
    value_group.frequency as frequency,
    value_group.checksum as checksum
from (
    select
        "value_1",
        "value_2",
        cast(sum(frequency) as bigint) as frequency,
        sum(checksum) as checksum
    from "star"
    group by all
) as value_group
join "table"
    on "table".code = "code"
where not exists (
    select 1
    from "outliers" as outlier
    where "one" = "other"
)

-- recoding/generalized#kept
where not exists (
    select 1
    from "outliers" as outlier
    where "one" = "other"
)

-- recoding/levels_in_use
select distinct
    1 as dimension,
    "level" as level
from "recoding"
where not suppressed

-- recoding/mapping
select
    row_number() over (order by "codes", suppressed desc, "levels") as part,
    "codes",
    "levels",
    cast(hash("seed", "codes") % 2147483647 as bigint) as salt,
    cast(sum(frequency) over parts - frequency as bigint) as lower,
    case
        when lead(true) over (partition by "codes" order by suppressed desc, "levels")
        then cast(sum(frequency) over parts as bigint)
    end as upper,
    suppressed
from "recoding"
window parts as (
    partition by "codes"
    order by suppressed desc, "levels"
    rows between unbounded preceding and current row
)

-- recoding/outliers
select
    "values"
from "frequency"
where "violating"

-- recoding/outliers#staying
(
    select *
    from "groups"
    anti join "outliers" using ("values")
)

-- recoding/outliers#stayed
select
    cast(sum("rows") as bigint)
from "groups"

-- recoding/recoded
select
    "table".*,
    cut.level,
    case "level" when "at" then "value" end as cell
from "table"
join "cut" as cut
    on cut.dimension = 1
    and cut.code = "table".code

-- recoding/recoded#cell
case "level" when "at" then "value" end

-- recoding/recoded#at_level
when "at" then "value"

-- recoding/single_dimension
select
    "code_1",
    "code_2",
    "level_1",
    "level_2",
    star.frequency,
    star.checksum,
    false as suppressed
from "star" as star
join "table"
    on "table".code = "code"

-- recoding/single_dimension#member
join "table"
    on "table".code = "code"

-- recoding/without_persons
select
    "code_1",
    "code_2",
    "level_1",
    "level_2",
    cast(sum(frequency) as bigint) as frequency,
    sum(checksum) as checksum,
    person in (select code from "left_out") as suppressed
from "visits"
group by all
