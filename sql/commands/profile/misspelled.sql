-- Rare texts that differ in a letter from a frequent one, or in two letters if they are long.
--
-- column  the column
-- text    its values as texts
-- rows    the table
-- $rare   most rows of a rare text
-- $times  the least ratio of a frequent text's rows to the rare text's rows
--
-- One row per rare text, the most frequent ones first, at most twenty.
with counted as (
    select
        {text} as text,
        count(*) as rows
    from {rows}
    where {column} is not null
    group by all
),
words as materialized (
    select
        text,
        lower(text) as folded,
        rows
    from counted
    where regexp_full_match(text, '\pL[\pL .''-]{3,39}')  -- codes with digits differ in one character by nature
),
frequent as (
    select *
    from words
    where rows >= $times
    order by
        rows desc,
        text
    limit 300
),
rare as (
    select *
    from words
    where rows <= $rare
    order by
        rows desc,
        text
    limit 3000
)
select
    rare.text,
    arg_max(frequent.text, (frequent.rows, frequent.text)) as likely,
    rare.rows,
    max(frequent.rows) as likely_rows
from rare
join frequent
    on frequent.rows >= $times * rare.rows
    and abs(length(frequent.folded) - length(rare.folded)) <= 2
    and damerau_levenshtein(rare.folded, frequent.folded)
    between 1 and case when length(frequent.folded) >= 8 then 2 else 1 end
group by
    rare.text,
    rare.rows
order by
    rare.rows desc,
    rare.text
limit 20
