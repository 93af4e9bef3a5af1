-- section: violated
-- Condition to refuse a release: a class has too large a share of one sensitive value.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- release    the release
-- named      the condition for a value with a bound: #any, #named or #present
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
-- Condition for a value with a bound, if the bound applies to all values: always true.
1 = 1

-- section: named
-- Condition for a value with a bound: neither missing nor one of the searched table's values without a bound. A value
-- unknown to the searched table has a bound, to be safe.
--
-- text   the value as text
-- texts  the texts of the searched table's values without a bound
({text} not in ({texts}) and {text} is not null)

-- section: present
-- Condition for a value with a bound, if all values of the searched table have one: the value is not missing.
--
-- text  the value as text
{text} is not null

-- section: misread
-- Named values whose text changes when read as a value of the sensitive attribute's type, with the changed text, for
-- example 5 and 5.0. The changed text is missing if the named value is no value of the type.
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

-- section: absent
-- Number of named values that no row of a table has.
--
-- $texts     the named values
-- sensitive  the sensitive attribute's column of the classes
-- classes    the classes of the table, over more columns: value_1, value_2, …
--
-- One row.
select count(*) as absent
from (
    select distinct unnest(cast($texts as varchar[])) as text
) as named
where not exists (
    select 1
    from {classes} as classes
    where cast({sensitive} as varchar) = named.text
)
