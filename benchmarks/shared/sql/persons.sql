-- A census-like table, made by PostgreSQL: ages thin out, marital status goes with age, some educations are missing.
--
-- table  its name
-- seed   an integer: the same seed and rows give the same people
-- rows   how many rows
create table {table} as
with drawn as (
    select
        person,
        hashint8extended(person, 3 * {seed}) as first,
        hashint8extended(person, 3 * {seed} + 1) as second
    from generate_series(cast(1 as bigint), {rows}) as people (person)
),

-- Chances from 0 to 1.
chances as (
    select
        person,
        cast(first & 65535 as double precision) / 65536 as by_age,
        cast(first >> 16 & 65535 as double precision) / 65536 as by_sex,
        cast(first >> 32 & 65535 as double precision) / 65536 as by_status,
        cast(second & 65535 as double precision) / 65536 as by_education,
        cast(second >> 16 & 65535 as double precision) / 65536 as by_place,
        cast(second >> 32 & 65535 as double precision) / 65536 as by_disease
    from drawn
)

select
    'person ' || person as name,
    cast(17 + floor(73 * power(by_age, 1.6)) as integer) as age,
    case when by_sex < 0.5 then 'female' else 'male' end as sex,
    'status ' || floor(7 * power(by_status, 1.5 + 2 * by_age)) as marital_status,
    case when by_education >= 0.02 then 'education ' || floor(16 * power(by_education, 2)) end as education,
    '5' || lpad(cast(floor(60 * power(by_place, 2)) as text), 4, '0') as zip,
    'disease ' || floor(60 * power(by_disease, 3)) as disease
from chances
