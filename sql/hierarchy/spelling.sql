-- The lines of a declared hierarchy, with leaves in the spelling of the column. A leaf equal to a source value of
-- another text, such as 23 and 23.0, gets the text of the source value, unless another leaf has this text.
--
-- levels    level_1, level_2, …
-- declared  the lines
-- domain    the attribute's values
-- unread    #unread
-- key       #number, #truth or #moment of a leaf
-- own       the section of key for a value of the source
--
-- One row per line.
select
    coalesce(one.level_0, declared.level_0) as level_0,
    {levels}
from {declared} as declared
left join (
    {unread}
) as one
    on {own} = {key}
    and not exists (
        select 1
        from {domain} as other
        where cast(other.value as varchar) = declared.level_0
    )

-- section: unread
-- Values of the source with a text different from every leaf.
--
-- domain    the attribute's values
-- declared  the lines
--
-- One row per value, as text.
select cast(value as varchar) as level_0
from {domain} as found
where value is not null
    and not exists (
        select 1
        from {declared} as line
        where line.level_0 = cast(found.value as varchar)
    )

-- section: count
-- Number of source values with a text different from every leaf.
--
-- values  #unread
--
-- One row.
select count(*) as values
from (
    {values}
)

-- section: number
-- A text as an exact number; missing for other texts and for more than 18 decimals.
--
-- text  the text
case
    when length(regexp_extract({text}, '\.([0-9]*)', 1))
        - coalesce(try_cast(regexp_extract(lower({text}), 'e([-+]?[0-9]+)', 1) as integer), 0) <= 18
    then try_cast({text} as decimal(38, 18))
end

-- section: truth
-- The text true or false in lower case; missing for other texts.
--
-- text  the text
case when lower({text}) in ('true', 'false') then lower({text}) end

-- section: moment
-- A text as a timestamp, from a date with or without a time; missing with a time zone or more than microseconds.
--
-- text  the text
case
    when regexp_full_match(
        {text},
        '[0-9]+-[0-9][0-9]-[0-9][0-9]([ T][0-9][0-9]:[0-9][0-9](:[0-9][0-9](\.[0-9]+)?)?)?'
    )
        and length(regexp_extract({text}, '\.([0-9]*)', 1)) <= 6
    then try_cast({text} as timestamp)
end

-- section: near
-- Number of values without a leaf, but equal to a leaf if case, blanks, dots and quotes are ignored.
--
-- domain   the attribute's values
-- members  the members of the hierarchy: each leaf with its texts at every level
--
-- One row.
select count(*) as values
from (
    select lower(regexp_replace(translate(value, '"''‘’“”', ''), '[\s.' || chr(160) || ']+', '', 'g')) as folded
    from {domain} as found
    where not exists (
        select 1
        from {members} as member
        where member.present
            and member.value is not distinct from found.value
    )
) as found
where exists (
    select 1
    from {members} as member
    where found.folded
        = lower(regexp_replace(translate(member.level_0, '"''‘’“”', ''), '[\s.' || chr(160) || ']+', '', 'g'))
)

-- section: padded
-- Texts of the column with blanks at an end.
--
-- $blanks  the characters of blanks
-- domain   the attribute's values
--
-- One row per value.
select value
from {domain}
where value <> trim(value, $blanks)
