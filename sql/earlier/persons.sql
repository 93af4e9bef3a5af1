-- The rows of persons in a release, from the base frequency set of its source.
--
-- $run      the run that goes into the hash that tells persons apart, so that no two files have the same one
-- base      the base frequency set
-- read      one #value per quasi-identifier
-- persons   one #person per column that tells persons apart
-- tuples    earlier/tuples of the release
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
-- tuples  earlier/tuples of the release
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
-- persons  earlier/persons
--
-- One row per person and tuple that is in the release.
select *
from {persons}
where class is not null

-- section: groups
-- Groups of rows by the class that they have in an earlier release and in this one. A row is known again by its person
-- and its tuple; where a person has one row in either source, by its person alone.
--
-- earlier  #kept of the earlier release
-- now      earlier/persons of this one
-- match    one #same per quasi-identifier
--
-- One row per group; of rows that are in one of the two alone, the other class is missing. unsure are the persons with
-- several rows of which some went and others came: which of these are the same rows, changed, nobody can tell.
with
both_of as (
    select
        coalesce(earlier.whose, now.whose) as whose,
        earlier.class as earlier_class,
        now.class,
        coalesce(earlier.rows, 0) as before,
        coalesce(now.rows, 0) as after,
        earlier.total as total_before,
        now.total as total_after
    from {earlier} as earlier
    full join {now} as now
        on earlier.whose = now.whose
        and {match}
),
known as (
    select
        *,
        max(total_before) over (partition by whose) is not distinct from 1
        and max(total_after) over (partition by whose) is not distinct from 1 as single,
        bool_or(before > after) over (partition by whose)
        and bool_or(after > before) over (partition by whose) as changed
    from both_of
),
pieces as (
    select
        whose,
        max(earlier_class) as earlier_class,
        max(class) as class,
        1 as rows,
        false as unsure
    from known
    where single
    group by whose
    union all
    select
        whose,
        earlier_class,
        class,
        least(before, after) as rows,
        changed as unsure
    from known
    where not single
        and least(before, after) > 0
    union all
    select
        whose,
        earlier_class,
        null as class,
        before - after as rows,
        changed as unsure
    from known
    where not single
        and before > after
    union all
    select
        whose,
        null as earlier_class,
        class,
        after - before as rows,
        changed as unsure
    from known
    where not single
        and after > before
)
select
    earlier_class,
    class,
    count(distinct whose) as persons,
    cast(sum(rows) as bigint) as rows,
    count(distinct whose) filter (where unsure) as unsure
from pieces
where earlier_class is not null
    or class is not null
group by
    earlier_class,
    class

-- section: same
-- A value of a tuple is that of another; the missing value is equal to itself.
--
-- earlier  its column of the earlier release's rows
-- now      its column of this one's
earlier.{earlier} is not distinct from now.{now}

-- section: joint
-- What two releases tell together: the groups of rows that share a class in both, by their persons.
--
-- $k       the k that they should have
-- groups   #groups
--
-- One row: the fewest persons of a group, the groups, the rows of all; those in groups of fewer than k persons; those
-- in the earlier one alone, and in this one alone; whether a person has rows of which nobody can tell which they were.
select
    min(persons) as joint_k,
    count(*) as groups,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    cast(coalesce(sum(rows) filter (where persons < $k), 0) as bigint) as rows_below,
    cast(coalesce(sum(rows) filter (where class is null), 0) as bigint) as rows_gone,
    cast(coalesce(sum(rows) filter (where earlier_class is null), 0) as bigint) as rows_new,
    coalesce(bool_or(unsure > 0), false) as unsure
from {groups}
