-- search/kaca/accepted
select offer.*
from (
    select
        *,
        sum(taken) over (partition by partner, whole order by rank) - taken as given
    from "offers"
) as offer
join (
    select
        class,
        min(rank) as first,
        min(rank) filter (where whole) as first_whole
    from (
        select id as class, rank, whole from "offers"
        union all
        select partner, rank, whole from "offers"
    )
    group by class
) as meeting
    on meeting.class = offer.partner
where (
    case
        when offer.whole then meeting.first = offer.rank
        else coalesce(meeting.first_whole > offer.rank, true)
            and offer.other_frequency - offer.given + offer.frequency - 5 >= 5
    end
)
and not exists (
    select 1
    from "offers" as earlier
    where earlier.partner = offer.id
        and earlier.rank < offer.rank
)

-- search/kaca/at_hand
select
    id,
    "columns",
    "violating" as small
from "classes"
order by id

-- search/kaca/blocks
select
    block,
    min(block) over (partition by "parents") as parent,
    "values",
    "box_1",
    "box_2",
    least_frequency,
    most_frequency,
    most_climbed
from (
    select
        min(id) as block,
        bit_and("column"),
        xor(bit_or("word"), bit_and("word")) as "apart_1",
        xor(bit_or("word"), bit_and("word")) as "apart_2",
        min(frequency) as least_frequency,
        max(frequency) as most_frequency,
        max(climbed) as most_climbed
    from "classes"
    group by "keys"
)

-- search/kaca/blocks#apart
xor(bit_or("word"), bit_and("word"))

-- search/kaca/blocks#shared
bit_and("column")

-- search/kaca/bounded
select
    id,
    block,
    reach,
    frequency * (common - climbed) + case
        when frequency + most_frequency - 5 < 5 then least_frequency
        else least(least_frequency, 5 - frequency)
    end * greatest(common - most_climbed, 0) as bound
from (
    select
        *,
        "common" as common
    from (
        select
            seeker.id,
            seeker.frequency,
            seeker.climbed,
            "reach" as reach,
            "rest" as rest,
            other.block,
            other.least_frequency,
            other.most_frequency,
            other.most_climbed,
            (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_1",
            (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_2"
        from "paired"
    )
)

-- search/kaca/bounded#given
case
    when frequency + most_frequency - 5 < 5 then least_frequency
    else least(least_frequency, 5 - frequency)
end

-- search/kaca/bounded#given_whole
least_frequency

-- search/kaca/bounded#bound
frequency * (common - climbed) + case
    when frequency + most_frequency - 5 < 5 then least_frequency
    else least(least_frequency, 5 - frequency)
end * greatest(common - most_climbed, 0)

-- search/kaca/bounded#coarsest
"seekers" as seeker
cross join "blocks" as other

-- search/kaca/bounded#finer
"left" as remaining
join "seekers" as seeker using (id)
join "blocks" as other
    on other.parent = remaining.block

-- search/kaca/bounded#later
(
    select
        class.*,
        step.rank,
        step.distance
    from "steps" as step
    join "classes" as class using (id)
) as seeker
join (
    select
        *,
        id as block,
        frequency + upper - lower as least_frequency,
        least_frequency as most_frequency,
        climbed as most_climbed
    from "formed"
) as other
    on other.rank < seeker.rank

-- search/kaca/bounded#everyone
(
    select
        id as block,
        "values",
        frequency as least_frequency,
        frequency as most_frequency,
        climbed as most_climbed
    from "classes"
)

-- search/kaca/bounded#small
(
    select *
    from "classes"
    where "violating"
)

-- search/kaca/bounded#choosing
(
    select *
    from "classes"
    semi join "chosen" using (id)
)

-- search/kaca/classes
select
    class as id,
    any_value("column"),
    cast(sum(frequency) as bigint) as frequency
from "tuples"
group by class

-- search/kaca/classes#any
any_value("column")

-- search/kaca/distortion
select cast(coalesce(sum(frequency * cast(climbed as hugeint)), 0) as hugeint) as distortion
from "classes"

-- search/kaca/disturbed
select min(step) as step
from (
    select step.rank as step
    from (
        select
            id,
            block,
            reach,
            frequency * (common - climbed) + case
                when frequency + most_frequency - 5 < 5 then least_frequency
                else least(least_frequency, 5 - frequency)
            end * greatest(common - most_climbed, 0) as bound
        from (
            select
                *,
                "common" as common
            from (
                select
                    seeker.id,
                    seeker.frequency,
                    seeker.climbed,
                    "reach" as reach,
                    "rest" as rest,
                    other.block,
                    other.least_frequency,
                    other.most_frequency,
                    other.most_climbed,
                    (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_1",
                    (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_2"
                from "paired"
            )
        )
    ) as near
    join "steps" as step using (id)
    where near.bound <= near.reach
    union all
    select later.rank
    from "steps" as later
    join "formed" as earlier
        on earlier.rank < later.rank
    where later.id in (earlier.id, earlier.partner)
        or later.partner in (earlier.id, earlier.partner)
        or earlier.frequency + earlier.upper - earlier.lower < 5
        and hash($seed, later.rank, earlier.id) <= hash($seed, later.rank, later.id)
    union all
    select earlier.rank + 1
    from "formed" as earlier
    join (
        select id, "values" from "classes"
        union all
        select id, "values" from "formed"
    ) as class using ("values")
    where class.id <> earlier.id
)

-- search/kaca/disturbed#small
earlier.frequency + earlier.upper - earlier.lower < 5

-- search/kaca/equal
select
    "place" as place,
    sum((tuples / total) ** 2) as equal
from (
    select
        count(*) as tuples,
        sum(count(*)) over () as total
    from "star"
    group by "keys"
)

-- search/kaca/formed
select
    id,
    partner,
    rank,
    frequency,
    upper - taken as lower,
    upper,
    "level_1",
    "level_2",
    "values",
    "climbed" as climbed
from (
    select
        *,
        "common_1",
        "common_2"
    from (
        select
            seeker.*,
            merger.partner,
            merger.rank,
            merger.taken,
            cast(sum(merger.taken) over (partition by merger.partner order by merger.rank) as bigint) as upper,
            (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_1",
            (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_2"
        from "mergers" as merger
        join "classes" as seeker
            on seeker.id = merger.id
        join "classes" as other
            on other.id = merger.partner
    )
)

-- search/kaca/met
select
    id,
    reach as distance,
    partner
from "neighbours"

-- search/kaca/met#nearer
select
    id,
    coalesce(nearer.distance, met.reach) as distance,
    coalesce(nearer.partner, met.partner) as partner
from "neighbours" as met
left join "nearer" as nearer using (id)

-- search/kaca/moved
select
    share.tuple,
    piece.target as class,
    cast(sum(least(share.upper, piece.upper) - greatest(share.lower, piece.lower)) as bigint) as frequency
from (
    select
        tuple,
        class,
        sum(frequency) over (partition by class order by hash($seed, tuple), tuple) - frequency as lower,
        sum(frequency) over (partition by class order by hash($seed, tuple), tuple) as upper
    from "shares"
    where class in (
        select source
        from "pieces"
    )
) as share
join "pieces" as piece
    on piece.source = share.class
    and piece.lower < share.upper
    and piece.upper > share.lower
group by
    share.tuple,
    piece.target

-- search/kaca/moved#leave
delete from "relation"
where "key" in (
    select "column"
    from "gone"
)

-- search/kaca/nearest
select
    id,
    min(bound) as distance,
    arg_min(block, (bound, hash($seed, id, block), block)) as partner
from (
    select
        id,
        block,
        reach,
        frequency * (common - climbed) + case
            when frequency + most_frequency - 5 < 5 then least_frequency
            else least(least_frequency, 5 - frequency)
        end * greatest(common - most_climbed, 0) as bound
    from (
        select
            *,
            "common" as common
        from (
            select
                seeker.id,
                seeker.frequency,
                seeker.climbed,
                "reach" as reach,
                "rest" as rest,
                other.block,
                other.least_frequency,
                other.most_frequency,
                other.most_climbed,
                (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_1",
                (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_2"
            from "paired"
        )
    )
)
where bound < reach
    and block <> id
group by id

-- search/kaca/nearest#batch
select
    *,
    "rest_0",
    "rest_1"
from "classes"
join "neighbours" using (id)
where id % $batches = $batch

-- search/kaca/nearest#near
select
    id,
    block
from (
    select
        id,
        block,
        reach,
        frequency * (common - climbed) + case
            when frequency + most_frequency - 5 < 5 then least_frequency
            else least(least_frequency, 5 - frequency)
        end * greatest(common - most_climbed, 0) as bound
    from (
        select
            *,
            "common" as common
        from (
            select
                seeker.id,
                seeker.frequency,
                seeker.climbed,
                "reach" as reach,
                "rest" as rest,
                other.block,
                other.least_frequency,
                other.most_frequency,
                other.most_climbed,
                (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_1",
                (xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks" as "met_2"
            from "paired"
        )
    )
)
where bound < reach

-- search/kaca/offers
select
    nearest.id,
    nearest.partner,
    nearest.distance,
    row_number() over (order by hash($seed, $round, nearest.id), nearest.id) as rank,
    seeker.frequency,
    other.frequency as other_frequency,
    seeker.frequency + other.frequency - 5 < 5 as whole,
    case when whole then other.frequency else 5 - seeker.frequency end as taken
from "nearest" as nearest
join "classes" as seeker
    on seeker.id = nearest.id
join "classes" as other
    on other.id = nearest.partner

-- search/kaca/offers#always
true

-- search/kaca/offers#whole
seeker.frequency + other.frequency - 5 < 5

-- search/kaca/offers#open
select offer.*
from "offers" as offer
anti join (
    select id as class from "offers"
    union all
    select partner from "offers"
) as touched
    on touched.class = offer.id
anti join (
    select id as class from "offers"
    union all
    select partner from "offers"
) as met
    on met.class = offer.partner

-- search/kaca/offers#touched
select id as class from "offers"
union all
select partner from "offers"

-- search/kaca/outliers
select
    id,
    id as partner,
    frequency
from (
    select
        id,
        frequency,
        sum(frequency) over (order by rank) as suppressed
    from "offers"
    where distance > $threshold
)
where suppressed <= $allowed

-- search/kaca/outliers#counted
select
    count(*) as outliers,
    cast(coalesce(sum(frequency), 0) as bigint) as rows
from "outliers"

-- search/kaca/paths
select
    code,
    "word_1",
    "word_2"
from "table"

-- search/kaca/paths#joined
join "paths"
    on "paths".code = "leaf"

-- search/kaca/paths#digit
(dense_rank() over (partition by "above" order by "below") - 1) * "mark"

-- search/kaca/pieces
select
    *,
    min(owner) over (partition by "values") as target
from (
    select
        id as source,
        id as owner,
        0 as lower,
        frequency as upper,
        "columns"
    from "formed"
    union all
    select
        partner,
        id,
        lower,
        upper,
        "partners"
    from "formed"
    union all
    select
        id,
        id,
        taken,
        frequency,
        "columns"
    from "classes"
    join (
        select
            partner as id,
            max(upper) as taken
        from "formed"
        group by partner
    ) using (id)
    where taken < frequency
    union all
    select
        id,
        id,
        0,
        frequency,
        "columns"
    from "classes"
    semi join "formed" using ("values")
    anti join (
        select id from "formed"
        union all
        select partner from "formed"
    ) using (id)
)

-- search/kaca/pieces#splits
select count(*) filter (where not whole) as splits
from "mergers"

-- search/kaca/progress
select
    count(*) as classes,
    count(*) filter (where "violating") as small,
    cast(coalesce(sum(frequency), 0) as bigint) as rows
from "classes"

-- search/kaca/raised
select
    *,
    min(owner) over (partition by "same") as target
from (
    select
        id as source,
        id as owner,
        0 as lower,
        frequency as upper,
        "level_1",
        "level_2",
        "values",
        "climbed" as climbed
    from (
        select
            *,
            greatest("own", "level") as "common_1",
            greatest("own", "level") as "common_2"
        from "classes"
    )
)

-- search/kaca/raised#level
greatest("own", "level")

-- search/kaca/raised#level_rows
select
    1 as dimension,
    "level" as level,
    cast(sum(frequency) as bigint) as rows
from "classes"
group by all

-- search/kaca/raised#rare
select cast(coalesce(sum(frequency), 0) as bigint) as rows
from (
    select
        cast(sum(frequency) as bigint) as frequency
    from "star"
    group by "value"
)
where "violating"

-- search/kaca/recoding
select
    "codes",
    "level_1",
    "level_2",
    share.frequency,
    class.id is null as suppressed
from "shares" as share
join "tuples" as tuple using (tuple)
left join "classes" as class
    on class.id = share.class

-- search/kaca/recoding#level
cast(coalesce("level", 0) as utinyint)

-- search/kaca/regrouped
select
    target as id,
    any_value("column"),
    cast(sum(upper - lower) as bigint) as frequency
from "pieces"
group by target

-- search/kaca/steps
select offer.* replace (chosen.step as rank)
from (
    select
        nearest.id,
        nearest.partner,
        nearest.distance,
        row_number() over (order by hash($seed, $round, nearest.id), nearest.id) as rank,
        seeker.frequency,
        other.frequency as other_frequency,
        seeker.frequency + other.frequency - 5 < 5 as whole,
        case when whole then other.frequency else 5 - seeker.frequency end as taken
    from "nearest" as nearest
    join "classes" as seeker
        on seeker.id = nearest.id
    join "classes" as other
        on other.id = nearest.partner
) as offer
join "chosen" as chosen using (id)

-- search/kaca/steps#chosen
select
    range as step,
    arg_min(id, hash($seed, range, id)) as id
from "classes"
cross join range($step, $step + $steps)
where "violating"
group by step

-- search/kaca/steps#first
select *
from "steps"
where rank < $step

-- search/kaca/tuples
select
    row_number() over (order by "leaves") as tuple,
    dense_rank() over (order by "class") as class,
    *
from (
    select
        "code_1",
        "code_2",
        "level_1",
        "level_2",
        "values",
        cast("climbed" as bigint) as climbed,
        cast(frequency as bigint) as frequency
    from "star"
    join "paths"
        on "paths".code = "leaf"
)

-- search/kaca/tuples#shares
select
    tuple,
    class,
    frequency
from "tuples"

-- search/kaca/values#told
when ("word" & "bits") <> 0 then "number"

-- search/kaca/values#above
case
    when ("word" & "bits") <> 0 then "number"
    else cast("leaf" as bigint)
end

-- search/kaca/values#by_level
(["numbers"])["level" + 1]

-- search/kaca/values#met
(xor(seeker."word", other."word") & "box") | seeker."marks" | other."marks"

-- search/kaca/values#kept
("word" & "bits")

-- search/kaca/values#total
(cast(0 as bigint) + "attributes")
