-- Number of cells that no cell of a workbook keeps as they are, by column.
--
-- counts  one #text, #whole, #real, #decimal, #date, #moment or #time per column, and #blank
-- rows    the rows
--
-- One row.
select
    {counts}
from (
    {rows}
) as release

-- section: any
-- No cell of a type that is always kept.
--
-- column  the column
0 * count({column})

-- section: text
-- Texts that are empty or too long for a cell, or have a character that XML lacks, or look like marked-up text.
--
-- column   the column
-- longest  the most characters of a text, in the units of UTF-16
count(*) filter (
    where {column} = ''
        or contains({column}, chr(65534))
        or contains({column}, chr(65535))
        or (starts_with({column}, '<r>') and ends_with({column}, '</r>'))
        -- A character beyond the first plane has two units.
        or 2 * length({column})
        - length(regexp_replace({column}, '[' || chr(65536) || '-' || chr(1114111) || ']', '', 'g')) > {longest}
)

-- section: whole
-- Whole numbers of too many digits.
--
-- column  the column
-- least   the least number of more digits
count(*) filter (where {column} <= -{least} or {column} >= {least})

-- section: real
-- NaN, infinities and negative zeros.
--
-- column  the column
count(*) filter (where not isfinite({column}) or ({column} = 0 and signbit({column})))

-- section: decimal
-- Decimals that a binary fraction does not give back.
--
-- column  the column
-- type    the column's type
count(*) filter (where try_cast(cast({column} as double) as {type}) is distinct from {column})

-- section: date
-- Dates that programs show differently, or not at all.
--
-- column  the column
count(*) filter (where {column} not between date '1900-03-01' and date '9999-12-31')

-- section: moment
-- Such dates with a time, and times finer than a millisecond.
--
-- column  the column
count(*) filter (
    where case
        when not isfinite({column}) then true
        when {column} not between timestamp '1900-03-01' and timestamp '9999-12-31 23:59:59.999' then true
        else date_trunc('millisecond', {column}) <> {column}
    end
)

-- section: time
-- Times finer than a millisecond, and the end of a day.
--
-- column  the column
count(*) filter (where {column} = time '24:00:00' or microsecond({column}) % 1000 <> 0)

-- section: blank
-- Rows without any value: readers leave them out.
--
-- missing  one #missing per column
count(*) filter (where {missing})

-- section: missing
-- True if a cell is missing.
--
-- column  the column
{column} is null
