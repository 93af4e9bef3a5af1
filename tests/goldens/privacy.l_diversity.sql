-- privacy/l_diversity/counted
count(distinct "sensitive")

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

-- privacy/l_diversity/violated
coalesce(min(count(distinct "sensitive")), "l") < "l"

-- privacy/l_diversity/violating
bit_count("held") < "l"
