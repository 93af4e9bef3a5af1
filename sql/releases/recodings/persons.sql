-- The rows of persons in a release, from the base frequency set of its source.
--
-- $run      the run that goes into the hash that tells persons apart, so that no two files have the same one
-- base      the base frequency set
-- read      one #value per quasi-identifier
-- persons   one #person per column that tells persons apart
-- tuples    releases/recodings/tuples of the release
-- match     one #match per quasi-identifier
--
-- One row per person and tuple. The class is missing where the tuple was left out; total are all rows of the person.
select
    *,
    cast(sum(rows) over (partition by whose) as bigint) as total
from (
    select
        unhex(sha256(concat($run, {persons}))) as whose,
        {read},
        tuples.class,
        cast(sum(base.frequency) as bigint) as rows
    from {base} as base
    left join {tuples} as tuples
        on {match}
    group by all
)

-- section: value
-- A value of a tuple as text.
--
-- value   its column of the base frequency set
-- column  its column of the tuples
cast(base.{value} as varchar) as {column}

-- section: person
-- A column that tells persons apart, with its length, so that several columns put together are told apart, too.
--
-- person  its column of the base frequency set
' ', length(cast(base.{person} as varchar)), ':', cast(base.{person} as varchar)

-- section: match
-- A value of the base frequency set is that of a tuple, as it reads; the missing value is equal to itself.
--
-- value   its column of the base frequency set
-- column  its column of the tuples
cast(base.{value} as varchar) is not distinct from tuples.{column}

-- section: parts
-- How many tuples a release has some rows of and not others: whose these are, nobody can tell.
--
-- values  the quasi-identifiers of the base frequency set
-- base    the base frequency set
-- tuples  releases/recodings/tuples of the release
-- match   one #match per quasi-identifier
--
-- One row.
select count(*) as parts
from (
    select
        {values},
        sum(frequency) as rows
    from {base}
    group by all
) as base
join {tuples} as tuples
    on {match}
where base.rows <> tuples.rows

-- section: kept
-- What is kept of whose the rows of a release are.
--
-- persons  releases/recodings/persons
--
-- One row per person and tuple that is in the release.
select *
from {persons}
where class is not null
