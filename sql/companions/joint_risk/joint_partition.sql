-- The joint partition of a single release over one quasi-identifier (QID), keyed by tuples: rows and their classes.
--
-- values   the tuple, its attributes in order of their names, as value_1, value_2, …
-- tuples   releases/recodings/tuples of the release
-- classes  #classes
--
-- One row per tuple, or part of a tuple in one class: the number of rows (rows), and of rows in earlier parts of the
-- same tuple (lower).
select
    {values},
    numbered.part as class,
    tuples.rows,
    tuples.lower
from {tuples} as tuples
join {classes} as numbered using (class)

-- section: classes
-- The classes of a release over one QID. Classes of the release with the same cells in the QID's attributes are merged.
--
-- cells    the cells of the QID's attributes
-- classes  releases/recodings/classes of the release
--
-- One row per class of the release.
select
    class,
    dense_rank() over (order by {cells}) as part
from {classes}

-- section: persons
-- The joint partition of a single release over one QID, keyed by persons and tuples: rows and their classes.
--
-- values   the tuple, its attributes in order of their names, as value_1, value_2, …
-- persons  releases/recodings/persons of the release
-- classes  #classes
--
-- One row per person and tuple: rows; lower, always 0; and all rows of the person in the source (everything). The class
-- is missing for a suppressed tuple.
select
    persons.whose,
    {values},
    numbered.part as class,
    persons.rows,
    cast(0 as bigint) as lower,
    persons.total as everything
from {persons} as persons
left join {classes} as numbered
    on numbered.class = persons.class

-- section: shown
-- The rows of persons present in the release.
--
-- persons  #persons
--
-- One row per person and tuple.
select *
from {persons}
where class is not null

-- section: parts
-- The relation parts (class of the partition, release, class in the release) for a partition of a single release: both
-- classes are the same.
--
-- $release  the number of the release
-- classes   #classes
--
-- One row per class.
select distinct
    part as class,
    cast($release as bigint) as release,
    part
from {classes}

-- section: held
-- The values of sensitive attributes in a class, without missing values.
--
-- names    the sensitive attributes, in their order
-- held     releases/recodings/class_values of the release
-- classes  #classes
--
-- One row per class and attribute: a list of texts.
select
    numbered.part as class,
    named.attribute,
    coalesce(list(distinct held.value) filter (where held.value is not null), []) as texts
from {classes} as numbered
cross join (
    select
        unnest(cast([{names}] as varchar[])) as attribute,
        unnest(range(1, len([{names}]) + 1)) as number
) as named
left join {held} as held
    on held.class = numbered.class
    and held.attribute = named.number
group by all

-- section: sets
-- The values of sensitive attributes in a class, with the number of the release.
--
-- $release  the number of the release
-- held      #held
--
-- One row per class and attribute.
select
    cast($release as bigint) as release,
    class as part,
    attribute,
    texts
from {held}

-- section: named
-- The classes of a partition by a subset of the releases: each merges the classes with the same class in each release
-- of the subset.
--
-- releases  the numbers of these releases
-- parts     the parts of the whole partition
--
-- One row per class of the whole partition with a part in these releases.
select
    class,
    dense_rank() over (order by vector) as part
from (
    select
        class,
        list((release, part) order by release) as vector
    from {parts}
    where release in ({releases})
    group by class
)

-- section: named_rows
-- The rows of a partition by a subset of the releases.
--
-- rows   the rows of the whole partition
-- named  #named
--
-- One row per row in any release of the subset.
select rows.* replace (named.part as class)
from {rows} as rows
join {named} as named using (class)

-- section: named_parts
-- The relation parts (class, release, class in the release) of a partition by a subset of the releases.
--
-- releases  the numbers of these releases
-- parts     the parts of the whole partition
-- named     #named
--
-- One row per class and release.
select distinct
    named.part as class,
    parts.release,
    parts.part
from {parts} as parts
join {named} as named using (class)
where parts.release in ({releases})

-- section: named_held
-- The sensitive values shared by all classes of a row in a subset of the releases.
--
-- parts  #named_parts
-- sets   the sensitive values of classes, by release
--
-- One row per class and attribute.
select
    parts.class,
    sets.attribute,
    list_reduce(list(sets.texts), lambda one, other: list_intersect(one, other)) as texts
from {parts} as parts
join {sets} as sets using (release, part)
group by all

-- section: rehashed
-- The rows of a release, with persons' hashes replaced by hashes with the run of another release. A person no longer in
-- the source cannot be hashed again.
--
-- $before   the run used in the old hash
-- $after    the run for the new hash
-- rows      #shown
-- base      the base frequency set: number of rows per combination of values
-- persons   one releases/recodings/persons#person per column that identifies persons
--
-- One row per row of the release.
select rows.* replace (coalesce(again.after, rows.whose) as whose)
from {rows} as rows
left join (
    select distinct
        unhex(sha256(concat($before, {persons}))) as before,
        unhex(sha256(concat($after, {persons}))) as after
    from {base} as base
) as again
    on again.before = rows.whose

-- section: lost
-- True if the source no longer has some persons of a release.
--
-- rows   the persons' rows in the release
-- now    #persons of the new release
--
-- One row.
select count(*) > 0 as lost
from {rows}
where whose not in (
    select whose
    from {now}
)

-- section: moved
-- The rows of persons in earlier releases, with tuples as in the current source: if a person has a single row in both,
-- the row is matched although the tuple changed.
--
-- values  the tuple: one #moved_value per attribute
-- rows    the rows of earlier releases
-- now     #persons of the new release
--
-- One row per row.
select rows.* replace (
    {values}
)
from {rows} as rows
left join {now} as now
    on now.whose = rows.whose
    and now.everything = 1
    and rows.everything = 1

-- section: moved_value
-- A value of a row's tuple: the current value if the row is matched although the tuple changed.
--
-- value  the value's column
case when now.whose is null then rows.{value} else now.{value} end as {value}

-- section: together
-- The rows of the joint partition, by their classes in all releases including the new one.
--
-- keys    the keys of rows
-- pieces  companions/joint_risk/pieces
-- groups  companions/joint_risk/groups
--
-- One row per key, or part of a key's rows with the same class.
select
    {keys},
    groups.number as class,
    pieces.rows,
    pieces.lower
from {pieces} as pieces
join {groups} as groups
    on groups.earlier_class is not distinct from pieces.earlier_class
    and groups.class is not distinct from pieces.class

-- section: everything
-- The rows of the joint partition keyed by persons, with the largest number of rows a person ever had (everything).
--
-- together  #together
-- earlier   the rows of earlier releases
-- now       the rows of the new release
--
-- One row per person and tuple, or part of their rows with the same class.
select
    together.*,
    person.everything
from {together} as together
join (
    select
        whose,
        max(everything) as everything
    from (
        select
            whose,
            everything
        from {earlier}
        union all
        select
            whose,
            everything
        from {now}
    )
    group by whose
) as person using (whose)

-- section: parts_together
-- The relation parts of the joint partition: for each class, the class in each of the last releases.
--
-- $first    the number of the first release kept
-- $release  the number of the new release
-- parts     the relation parts of the earlier partition
-- groups    companions/joint_risk/groups
--
-- One row per class and release.
select
    groups.number as class,
    parts.release,
    parts.part
from {groups} as groups
join {parts} as parts
    on parts.class = groups.earlier_class
where parts.release >= $first
union all
select
    number as class,
    cast($release as bigint) as release,
    class as part
from {groups}
where class is not null

-- section: held_together
-- The sensitive values shared by all classes of a row, in all releases including the new one.
--
-- earlier  the relation held of the earlier partition
-- now      #held of the new release
-- groups   companions/joint_risk/groups
--
-- One row per class and attribute.
select
    number as class,
    attribute,
    list_reduce(list(texts), lambda one, other: list_intersect(one, other)) as texts
from (
    select
        groups.number,
        held.attribute,
        held.texts
    from {groups} as groups
    join {earlier} as held
        on held.class = groups.earlier_class
    union all
    select
        groups.number,
        held.attribute,
        held.texts
    from {groups} as groups
    join {now} as held
        on held.class = groups.class
)
group by all

-- section: sets_together
-- The sensitive values of classes, for each of the last releases.
--
-- $first  the number of the first release kept
-- earlier the relation sets of the earlier partition
-- now     #sets of the new release
--
-- One row per release, class and attribute.
select *
from {earlier}
where release >= $first
union all
select *
from {now}

-- section: numbers
-- Numbers of the releases with stored parts, that is, with the class in this single release.
--
-- parts  the parts of classes by release
--
-- One row per release.
select distinct release
from {parts}

-- section: other_texts
-- True if a type would write the text of any value differently: as a whole number, 007 is 7.
--
-- value  the column of the values, which are texts
-- type   the type
-- rows   the rows of a partition
--
-- One row.
select count(*) > 0 as other_texts
from {rows}
where cast(try_cast({value} as {type}) as varchar) is distinct from {value}

-- section: several
-- True if any person in the earlier releases and in the new one has several rows in either.
--
-- rows  the rows of earlier releases
-- now   the rows of the new release
--
-- One row.
select count(*) > 0 as several
from {rows} as rows
join {now} as now using (whose)
where rows.everything > 1
    or now.everything > 1
