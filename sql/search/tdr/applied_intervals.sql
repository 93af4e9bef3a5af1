-- What numbers become by a masking that was learnt on another table.
--
-- $lowers   the lower end of each interval, as text, or missing
-- $uppers   the upper end
-- $texts    what it reads
-- $missing  what the missing value becomes, or missing
-- members   the numeric members over the values
--
-- One row per value.
select
    true as is_leaf,
    member.value,
    case when member.number is null then $missing else interval.text end as cell
from {members} as member
left join (
    select
        cast(unnest($lowers) as decimal(38, 18)) as lower,
        cast(unnest($uppers) as decimal(38, 18)) as upper,
        unnest($texts) as text
) as interval
    on (interval.lower is null or member.number >= interval.lower)
    and (interval.upper is null or member.number < interval.upper)
