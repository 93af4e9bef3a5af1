-- Check the release of a script before publication, by counting its classes. Violations raise an error, which ends the
-- transaction, and nothing is published.
--
-- violated  #otherwise of all rows, #changed, and one condition per privacy model for a violating class
-- classes   #classes
--
-- One row: the achieved k as a text.
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
-- The equivalence classes of a script's release, with their sizes and further counts.
--
-- counts             count(*) as size, and further counts of a class
-- counted            the release, or only its counted rows
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
-- The number of rows of a class.
count(*) as size

-- section: otherwise
-- Condition: the number of rows of the release, or of the source, is not the number at the time the script was made.
--
-- released  the number of rows released then
-- source    the source
-- rows      the source's number of rows then: a row with a value without a leaf is lost without a trace
coalesce(sum(size), 0) <> {released} or (select count(*) from {source}) <> {rows}

-- section: changed
-- Condition: the rows of the source are not those at the time the script was made, by their fingerprint. A sum of
-- 64-bit hashes reveals any change but an intended one.
--
-- fingerprint  the fingerprint of the rows (releases/source_fingerprint)
-- source       the source
-- made         the fingerprint then
(select {fingerprint} from {source}) <> {made}

-- section: alike
-- Condition: a column has equal values with different texts, such as 0.0 and -0.0. They are counted in one class, but a
-- reader of the release can distinguish them.
--
-- column   the column, in its grouped form
-- text     the column as text
-- release  the release
exists (
    select 1
    from {release}
    group by {column}
    having min({text}) <> max({text})
)

-- section: guarded
-- The rows of a release, counted again by the statement that publishes them. Needed because a client may go on with the
-- script after an error that leaves the transaction open.
--
-- release   the release
-- recounts  one #again per recount
--
-- One row per row of the release.
select *
from (
    {release}
) as recounted
where {recounts}

-- section: again
-- Condition for a recount without a violation; the recount raises an error otherwise.
--
-- recount  the recount
(
    {recount}
) is not null
