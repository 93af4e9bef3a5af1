-- Number of cells, per column, with values that an Excel workbook would change or lose.
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
-- 0: a workbook stores every value of this column's type unchanged.
--
-- column  the column
0 * count({column})

-- section: text
-- Number of texts that are empty, too long for a cell, like formatted text, or with a character not allowed in XML.
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
-- Number of whole numbers with more digits than spreadsheets keep.
--
-- column  the column
-- least   the least number of more digits
count(*) filter (where {column} <= -{least} or {column} >= {least})

-- section: real
-- Number of cells with NaN, infinity or negative zero.
--
-- column  the column
count(*) filter (where not isfinite({column}) or ({column} = 0 and signbit({column})))

-- section: decimal
-- Number of decimals that change if they are cast to a floating-point number and back.
--
-- column  the column
-- type    the column's type
count(*) filter (where try_cast(cast({column} as double) as {type}) is distinct from {column})

-- section: date
-- Number of dates before March 1900 or after 9999: spreadsheet programs disagree on them or lack them.
--
-- column  the column
count(*) filter (where {column} not between date '1900-03-01' and date '9999-12-31')

-- section: moment
-- Number of timestamps before March 1900 or after 9999, or with fractions of a millisecond.
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
-- Number of times of day with fractions of a millisecond, or equal to 24:00.
--
-- column  the column
count(*) filter (where {column} = time '24:00:00' or microsecond({column}) % 1000 <> 0)

-- section: blank
-- Number of rows without any value: programs skip them when they read a sheet.
--
-- missing  one #missing per column
count(*) filter (where {missing})

-- section: missing
-- True if a cell is missing.
--
-- column  the column
{column} is null
