-- How many values of a sensitive attribute the two classes of a row share at least: whoever knows both releases has no
-- more to choose from (m-invariance).
--
-- $earlier, $attribute  the attribute's number in the earlier release, and in this one
-- groups                earlier/groups
-- earlier               earlier/held of the earlier release
-- now                   earlier/held of this one
--
-- One row; missing where no row is in both.
select min(shared) as least
from (
    select count(now.value) as shared
    from {groups} as groups
    left join {earlier} as earlier
        on earlier.class = groups.earlier_class
        and earlier.attribute = $earlier
    left join {now} as now
        on now.class = groups.class
        and now.attribute = $attribute
        and now.value = earlier.value
    where groups.earlier_class is not null
        and groups.class is not null
    group by
        groups.earlier_class,
        groups.class
)
