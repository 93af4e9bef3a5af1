-- Groups of rows by the class that they have in an earlier release and in this one, where the source is the same: whose
-- they are, its base frequency set tells.
--
-- base     the base frequency set
-- values   its columns of the quasi-identifiers
-- persons  those that tell persons apart
-- earlier  earlier/tuples of the earlier release
-- before   one #match per quasi-identifier, of that
-- now      earlier/tuples of this one
-- after    one #match per quasi-identifier, of this one
--
-- One row per group; of rows that are in one of the two alone, the other class is missing. parts are the tuples of
-- which one of the releases has some rows and not others: whose these are, nobody can tell.
select
    earlier.class as earlier_class,
    now.class,
    count(distinct ({persons})) as persons,
    cast(sum(base.frequency) as bigint) as rows,
    count(*) filter (where base.tuple_rows <> earlier.rows or base.tuple_rows <> now.rows) as parts
from (
    select
        *,
        sum(frequency) over (partition by {values}) as tuple_rows
    from {base}
) as base
left join {earlier} as earlier
    on {before}
left join {now} as now
    on {after}
where earlier.class is not null
    or now.class is not null
group by
    earlier.class,
    now.class

-- section: match
-- A value of the base frequency set is that of a tuple, as it reads; the missing value is equal to itself.
--
-- value   its column of the base frequency set
-- tuples  earlier or now
-- column  its column of these tuples
cast(base.{value} as varchar) is not distinct from {tuples}.{column}

-- section: joint
-- What two releases of a source tell together: the groups of rows that share a class in both, by their persons.
--
-- $k       the k that they should have
-- groups   earlier/persons
--
-- One row: the fewest persons of a group, the groups, the rows of all; those in groups of fewer than k persons; those
-- in the earlier one alone, and in this one alone; tuples of which a release has some rows alone.
select
    min(persons) as joint_k,
    count(*) as groups,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    cast(coalesce(sum(rows) filter (where persons < $k), 0) as bigint) as rows_below,
    cast(coalesce(sum(rows) filter (where class is null), 0) as bigint) as rows_gone,
    cast(coalesce(sum(rows) filter (where earlier_class is null), 0) as bigint) as rows_new,
    cast(coalesce(sum(parts), 0) as bigint) as parts
from {groups}
