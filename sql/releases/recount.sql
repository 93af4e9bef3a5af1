-- Count a script's release again before it goes out: an error ends the transaction, and nothing is published.
--
-- violated  #otherwise of all rows, and one condition per privacy model for a violating class
-- classes   #classes
--
-- One row.
select
    case
        when {violated}
        then error(
            'not the source that this script was made for: its rows have changed; nothing is released; '
            'compile it again'
        )
        else 'k = ' || cast(coalesce(min(size), 0) as varchar)
    end as recounted
from {classes}

-- section: classes
-- The classes of a script's release, with their counts.
--
-- counts             count(*) as size, and more of a class
-- counted            the release, or the counted rows of it
-- quasi_identifiers  the generalized columns
--
-- One row per class.
(
    select
        {counts}
    from {counted}
    group by {quasi_identifiers}
) as classes

-- section: class_size
-- The rows of a class.
count(*) as size

-- section: otherwise
-- Condition for changed numbers of rows since the script was made, in the release or the source.
--
-- released  the number of rows released then
-- source    the source
-- rows      the source's number of rows then: a row with a value without a leaf is lost without a trace
coalesce(sum(size), 0) <> {released} or (select count(*) from {source}) <> {rows}

-- section: alike
-- Condition for equal values of a column with different texts, 0.0 and -0.0: counted as one, but different to a reader
-- of the release.
--
-- column   the column, in its grouped form
-- text     it as text
-- release  the release
exists (
    select 1
    from {release}
    group by {column}
    having min({text}) <> max({text})
)
