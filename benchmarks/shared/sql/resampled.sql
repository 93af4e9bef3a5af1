-- A large census: each row a person drawn with replacement, who takes age and occupation from a second one drawn. So
-- most values stay as frequent as they are and meet as they do, yet the distinct combinations go on growing with the
-- rows.
--
-- $seed     an integer: the same seed, rows and persons give the same rows in some order
-- $rows     how many rows
-- $persons  how many persons there are to draw from
-- numbered  numbered.sql
--
-- One row per draw. md5 stays the same from release to release; hash() does not.
with draws as (
    select
        md5_number_lower(ticket) % cast($persons as ubigint) as first,
        md5_number_upper(ticket) % cast($persons as ubigint) as second
    from (
        select concat_ws('/', cast($seed as bigint), draw) as ticket
        from range(cast($rows as bigint)) as draws (draw)
    )
)

select
    second.age,
    first.sex,
    first.race,
    first."marital-status",
    first.education,
    first."native-country",
    first.workclass,
    second.occupation,
    first."salary-class"
from draws
join {numbered} as first
    on first.place = draws.first
join {numbered} as second
    on second.place = draws.second
