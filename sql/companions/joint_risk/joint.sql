-- Joint figures of a source's releases. A group has the rows with the same class in each release.
--
-- $k       the required k
-- groups   companions/joint_risk/groups
--
-- One row: the size of the smallest group, the number of groups, and numbers of rows: of all groups, of groups smaller
-- than k, of earlier releases only, and of the new release only.
select
    min(size) as joint_k,
    count(*) as groups,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    cast(coalesce(sum(rows) filter (where size < $k), 0) as bigint) as rows_below,
    cast(coalesce(sum(rows) filter (where class is null), 0) as bigint) as rows_gone,
    cast(coalesce(sum(rows) filter (where earlier_class is null), 0) as bigint) as rows_new
from {groups}

-- section: shared
-- Smallest number of sensitive values shared by all classes of a row, over all rows and per sensitive attribute. A
-- reader of all releases can narrow a row's value down to no fewer values (m-invariance).
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
-- Groups of rows by their class in a single earlier release and their class in the new release.
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
-- Flag of a group if k counts rows: false, as rows are matched by their tuples.
false

-- section: unsure
-- Flag of a group if k counts persons: true if a person has both deleted and new rows in the group.
bool_or(earlier_class is not null and not after) over (partition by release, whose)
and bool_or(earlier_class is null and after) over (partition by release, whose)

-- section: pairs
-- Joint figures of each single earlier release with the new release.
--
-- $k      the required k
-- groups  #paired
--
-- One row per earlier release: the number of the release; the size of the smallest group; the number of groups; numbers
-- of rows in all groups, in groups smaller than k, only in the earlier release, and only in the new one; and true if
-- rows of a person cannot be matched with certainty.
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
-- Smallest number of sensitive values shared by the two classes of a row, one in an earlier release and one in the new
-- release, over all rows and per sensitive attribute.
--
-- groups  #paired
-- sets    the values of classes by release
-- now     the values of classes in the new release
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
