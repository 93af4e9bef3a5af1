-- Cut points of a numeric attribute: the possible ends of ranges. There is one cut point between any two adjacent
-- numbers. It is the roundest number between both: a multiple of the largest step of 1, 5, 10, 50, … with a multiple
-- there, with no more decimals than the attribute's numbers. So the end of a range reveals no number of a row. Without
-- a number between both, as for 36 and 37, the cut point is the upper one.
--
-- table  the dimension table, numeric
--
-- One row per leaf with a number: the cut points before and after it as texts, missing at the first and the last.
with numbers as (
    select
        number,
        lag(number) over (order by number) as before
    from (
        select distinct number
        from {table}
        where number is not null
    )
),
steps as (
    select cast(digit || 'e' || power as decimal(38, 18)) as step
    from (
        select unnest([1, 5]) as digit
    )
    cross join (
        select unnest(range(-18, 20)) as power
    )
    where -power <= (
        select max(length(rtrim(split_part(cast(number as varchar), '.', 2), '0')))
        from numbers
    )
),
-- Measured from zero, so that ends below it are as round as those above.
gaps as (
    select
        number,
        before,
        least(abs(before), abs(number)) as near,
        greatest(abs(before), abs(number)) as far
    from numbers
    where before is not null
        and not (before < 0 and number > 0)
),
largest as (
    select
        number,
        before,
        near,
        max(step) as step
    from gaps
    join steps
        on step < far - near + near % step
    group by all
),
cuts as (
    select
        numbers.number,
        case
            when numbers.before < 0 and numbers.number > 0 then 0
            when numbers.before is not null and step is null then numbers.number
            when numbers.before < 0 then -(near - near % step + step)
            when numbers.before >= 0 then near - near % step + step
        end as cut
    from numbers
    left join largest
        on largest.number = numbers.number
)
select
    member.code,
    ends.low,
    ends.high
from {table} as member
join (
    select
        number,
        regexp_replace(cast(cut as varchar), '\.?0+$', '') as low,
        regexp_replace(cast(lead(cut) over (order by number) as varchar), '\.?0+$', '') as high
    from cuts
) as ends
    on ends.number = member.number

-- section: of_paths
-- The cut points before and after each leaf, with the leaf's path.
--
-- paths  search/mondrian/paths
-- ends   search/ranges/ends
--
-- One row per leaf; the missing value has no ends.
select
    leaf.path,
    leaf.code,
    leaf.number,
    ends.low,
    ends.high
from {paths} as leaf
left join (
    {ends}
) as ends using (code)

-- section: label
-- The text of a range. A range includes its lower end, but not its upper end. The first range has no lower end, and the
-- last range no upper end.
--
-- low    the cut point before the range's first number
-- high   the cut point after the range's last number
-- whole  the text of a range without ends
case
    when {low} is null and {high} is null then {whole}
    when {low} is null then '< ' || {high}
    when {high} is null then '>= ' || {low}
    else '[' || {low} || ', ' || {high} || ')'
end
