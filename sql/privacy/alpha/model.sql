-- section: violated
-- That a script's release has a class in which a value of a sensitive attribute has too large a share.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
-- named      that a value is asked about
-- share      the largest share, times its parts
-- parts      the parts
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
-- That a value is asked about: all are.
1 = 1

-- section: named
-- That a value is asked about; so is one that the searched table has not, or reads otherwise.
--
-- text   the value as text
-- texts  those that are not
({text} not in ({texts}) and {text} is not null)

-- section: present
-- That a value is there.
--
-- text  the value as text
{text} is not null

-- section: misread
-- Named values that no value of a type reads as, and what they read there; missing where they are no values of it.
--
-- $texts  the named values
-- type    the type of the sensitive attribute
--
-- One row per named value that reads otherwise.
select
    text,
    cast(try_cast(text as {type}) as varchar) as reads
from (
    select unnest(cast($texts as varchar[])) as text
)
where cast(try_cast(text as {type}) as varchar) is distinct from text
order by text
