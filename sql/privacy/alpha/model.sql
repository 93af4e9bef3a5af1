-- section: violated
-- Condition to refuse a release: a class has too large a share of one sensitive value.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- release    the release
-- named      the condition for a named value
-- share      the numerator of the largest share, as a fraction
-- parts      the denominator of that fraction
exists (
    select 1
    from (
        select
            value_rows,
            sum(value_rows) over (partition by class) as size,
            asked
        from (
            select
                dense_rank() over (order by {values}) as class,
                max(case when {named} then 1 else 0 end) as asked,
                count(*) as value_rows
            from {release}
            group by
                {values},
                {sensitive}
        ) as value_counts
    ) as value_shares
    where asked = 1
        and value_rows * {parts} > size * {share}
)

-- section: any
-- Condition for a named value: all are.
1 = 1

-- section: named
-- Condition for a named value, or one unknown to the searched table or with another text.
--
-- text   the value as text
-- texts  the texts of the other values
({text} not in ({texts}) and {text} is not null)

-- section: present
-- Condition for a present value.
--
-- text  the value as text
{text} is not null

-- section: misread
-- Named values without an equal text among a type's values, and their texts there; missing if they are no values of the
-- type.
--
-- $texts  the named values
-- type    the type of the sensitive attribute
--
-- One row per named value with another text.
select
    text,
    cast(try_cast(text as {type}) as varchar) as reads
from (
    select unnest(cast($texts as varchar[])) as text
)
where cast(try_cast(text as {type}) as varchar) is distinct from text
order by text
