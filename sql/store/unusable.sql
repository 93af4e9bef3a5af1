-- How many values of a floating-point column databases differ in.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be told apart safely.
select
    count(*) filter (where isnan({column})) as nan,
    count(*) filter (where isinf({column})) as infinite,
    count(*) filter (where {column} = 0 and signbit({column})) as negative_zero
from {source}

-- dialect: mariadb
-- How many values of a floating-point column databases differ in. MariaDB keeps neither NaN nor infinities.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be told apart safely.
select
    0 as nan,
    0 as infinite,
    count(case when cast({column} as char) = '-0' then 1 end) as negative_zero
from {source} as source

-- dialect: postgresql
-- How many values of a floating-point column databases differ in.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be told apart safely.
select
    count(*) filter (where {column} = 'NaN') as nan,
    count(*) filter (where {column} in ('Infinity', '-Infinity')) as infinite,
    count(*) filter (where cast({column} as text) = '-0') as negative_zero
from {source} as source

-- dialect: sqlite
-- How many values of a floating-point column databases differ in. SQLite keeps no NaN.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be told apart safely.
select
    0 as nan,
    count(*) filter (where {column} in (9e999, -9e999)) as infinite,
    count(*) filter (where {column} = 0 and starcloak_real({column}) = '-0x0.0p+0') as negative_zero
from {source} as source

-- dialect: spark
-- How many values of a floating-point column databases differ in.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be told apart safely.
select
    count(case when isnan({column}) then 1 end) as nan,
    count(case when cast({column} as string) in ('Infinity', '-Infinity') then 1 end) as infinite,
    count(case when cast({column} as string) = '-0.0' then 1 end) as negative_zero
from {source} as source
