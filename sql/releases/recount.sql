-- Count a script's release again before it goes out: an error ends the transaction, and nothing is published.
--
-- violated  #otherwise of all rows, and one condition per privacy model: a class violates it
-- classes   #classes
--
-- One row.
select
    case
        when {violated}
        then error('not the source that this script was made for: nothing is released; compile it again')
        else 'k = ' || cast(coalesce(min(size), 0) as varchar)
    end as recounted
from {classes}

-- section: classes
-- The classes of a script's release, with what is counted of them.
--
-- counts             count(*) as size, and more of a class
-- counted            the release, or what is counted of it
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
-- That other rows were released than when the script was made, or of others.
--
-- released  the rows that were released then
-- source    the source
-- rows      the rows that it had then: one whose value has no leaf is lost without a trace
coalesce(sum(size), 0) <> {released} or (select count(*) from {source}) <> {rows}

-- section: alike
-- That values of a column are equal and read otherwise, 0.0 and -0.0: counted as one, and told apart by whoever reads
-- the release.
--
-- column   the column, as it is grouped
-- text     it as text
-- release  the release
exists (
    select 1
    from {release}
    group by {column}
    having min({text}) <> max({text})
)
