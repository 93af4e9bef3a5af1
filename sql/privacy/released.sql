-- How many rows of each class of a script's release have which value of a sensitive attribute. A missing value is a
-- value.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
--
-- One row per class and value: its rows, those of the class, those that have the value, and those of the release. A
-- class is a number, lest a column have the name of what is counted.
(
    select
        dense_rank() over (order by {values}) as class,
        count(*) as value_rows,
        sum(count(*)) over (partition by {values}) as size,
        sum(count(*)) over (partition by {sensitive}) as total,
        sum(count(*)) over () as whole
    from {release}
    group by
        {values},
        {sensitive}
) as value_counts

-- section: present
-- The rows of a script's release that have a value of a sensitive attribute.
--
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
(
    select *
    from {release}
    where {sensitive} is not null
) as present_rows

-- section: blank
-- That a script's release has a class of which no row has a value of a sensitive attribute.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
exists (
    select 1
    from {release}
    group by {values}
    having count({sensitive}) = 0
)

-- section: text
-- A sensitive value as it reads.
--
-- sensitive  the sensitive attribute, as it is grouped
cast({sensitive} as varchar)

-- section: text, dialect: mariadb
-- A sensitive value as it reads.
--
-- sensitive  the sensitive attribute, as it is grouped
cast({sensitive} as char) collate utf8mb4_nopad_bin

-- section: text, dialect: postgresql
-- A sensitive value as it reads.
--
-- sensitive  the sensitive attribute, as it is grouped
cast({sensitive} as text) collate "C"

-- section: text, dialect: sqlite
-- A sensitive value as it reads. The text of a floating-point number has 15 digits: it takes more where fewer would be
-- another number's.
--
-- sensitive  the sensitive attribute, as it is grouped
case typeof({sensitive})
    when 'real' then case {sensitive}
        when cast(printf('%!.15g', {sensitive}) as real) then printf('%!.15g', {sensitive})
        when cast(printf('%!.16g', {sensitive}) as real) then printf('%!.16g', {sensitive})
        else printf('%!.17g', {sensitive})
    end
    else cast({sensitive} as text)
end collate binary

-- section: text, dialect: spark
-- A sensitive value as it reads.
--
-- sensitive  the sensitive attribute, as it is grouped
cast({sensitive} as string)
