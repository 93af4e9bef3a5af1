-- Joint figures of a source's releases. A group is the rows that share a class in each release.
--
-- $k       the required k
-- groups   companions/joint_risk/groups
--
-- One row: the size of the smallest group, the number of groups, and numbers of rows: of all groups, of groups smaller
-- than k, of earlier releases alone, and of this release alone.
select
    min(size) as joint_k,
    count(*) as groups,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    cast(coalesce(sum(rows) filter (where size < $k), 0) as bigint) as rows_below,
    cast(coalesce(sum(rows) filter (where class is null), 0) as bigint) as rows_gone,
    cast(coalesce(sum(rows) filter (where earlier_class is null), 0) as bigint) as rows_new
from {groups}

-- section: shared
-- Least number of values shared by all classes of a row, over all rows and per sensitive attribute: a reader of all
-- releases has no fewer values to choose from (m-invariance).
--
-- groups   companions/joint_risk/groups
-- earlier  the values shared by classes in the earlier releases: class, attribute, texts
-- now      the values of classes in this release: class, attribute, texts
--
-- One row per attribute known to both.
select
    now.attribute,
    min(len(list_intersect(earlier.texts, now.texts))) as least
from {groups} as groups
join {earlier} as earlier
    on earlier.class = groups.earlier_class
join {now} as now
    on now.class = groups.class
    and now.attribute = earlier.attribute
group by now.attribute

-- section: paired
-- Groups of rows by their class in one of the earlier releases and in this one.
--
-- size    companions/joint_risk/groups#rows or companions/joint_risk/groups#persons
-- flags   #unsure, or #sure
-- rows    companions/joint_risk/groups or, if k counts persons, companions/joint_risk/pieces
-- parts   the parts of classes by release
--
-- One row per release and group. A group is unsure if it has a person with both deleted and new rows.
select
    release,
    earlier_class,
    class,
    {size} as size,
    cast(sum(rows) as bigint) as rows,
    bool_or(unsure) as unsure
from (
    select
        *,
        {flags} as unsure
    from (
        select
            releases.release,
            rows.* replace (parts.part as earlier_class)
        from {rows} as rows
        cross join (
            select distinct release
            from {parts}
        ) as releases
        left join {parts} as parts
            on parts.class = rows.earlier_class
            and parts.release = releases.release
    )
)
where earlier_class is not null
    or class is not null
group by
    release,
    earlier_class,
    class

-- section: sure
-- Rows are known by their tuples.
false

-- section: unsure
-- Of a person's rows some went, and others came.
bool_or(earlier_class is not null and not after) over (partition by release, whose)
and bool_or(earlier_class is null and after) over (partition by release, whose)

-- section: pairs
-- Joint figures of each earlier release with this one.
--
-- $k      the required k
-- groups  #paired
--
-- One row per release: its number, the smallest group, the groups, the rows of all; those in groups of fewer than k;
-- those in the earlier one alone, and in this one alone; whether a person's rows are not known again for sure.
select
    release,
    min(size) as joint_k,
    count(*) as groups,
    cast(sum(rows) as bigint) as rows,
    cast(coalesce(sum(rows) filter (where size < $k), 0) as bigint) as rows_below,
    cast(coalesce(sum(rows) filter (where class is null), 0) as bigint) as rows_gone,
    cast(coalesce(sum(rows) filter (where earlier_class is null), 0) as bigint) as rows_new,
    bool_or(unsure) as unsure
from {groups}
group by release
order by release

-- section: pairs_shared
-- Least number of a sensitive attribute's values shared by the two classes of a row, in an earlier release and this
-- one.
--
-- groups  #paired
-- sets    the values of classes by release
-- now     those of this one
--
-- One row per release and attribute known to both.
select
    groups.release,
    now.attribute,
    min(len(list_intersect(sets.texts, now.texts))) as least
from {groups} as groups
join {sets} as sets
    on sets.release = groups.release
    and sets.part = groups.earlier_class
join {now} as now
    on now.class = groups.class
    and now.attribute = sets.attribute
group by
    groups.release,
    now.attribute
