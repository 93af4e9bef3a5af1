-- The rows of persons in a release, from the base frequency set of its source.
--
-- $run      the run that salts the hash of persons, so that no two files have the same hash
-- base      the base frequency set: number of rows per combination of values
-- read      one #value per quasi-identifier
-- persons   one #person per column that identifies persons
-- tuples    releases/recodings/tuples of the release
-- match     one #match per quasi-identifier
--
-- One row per person and tuple. The class is missing for a suppressed tuple; total is the number of all rows of the
-- person.
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
-- value   the quasi-identifier's column of the base frequency set
-- column  the quasi-identifier's column of the tuples
cast(base.{value} as varchar) as {column}

-- section: person
-- A column that identifies persons, as text after its length, so that concatenations of columns are unambiguous.
--
-- person  the column of the base frequency set
' ', length(cast(base.{person} as varchar)), ':', cast(base.{person} as varchar)

-- section: match
-- Condition: a value of the base frequency set, as text, is equal to a tuple's value; two missing values are equal.
--
-- value   the quasi-identifier's column of the base frequency set
-- column  the quasi-identifier's column of the tuples
cast(base.{value} as varchar) is not distinct from tuples.{column}

-- section: parts
-- Number of tuples with only some of their rows in a release: it is unknown to which persons the released rows belong.
--
-- values  the quasi-identifiers of the base frequency set
-- base    the base frequency set: number of rows per combination of values
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
-- The rows of persons without those of suppressed tuples.
--
-- persons  releases/recodings/persons
--
-- One row per person and tuple in the release.
select *
from {persons}
where class is not null
