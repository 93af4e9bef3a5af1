-- Check of a QID's classes for (alpha,k)-anonymity: no value has too large a share. A missing value is a value.
--
-- $share     the largest allowed share: the numerator of the fraction
-- $parts     the denominator of that fraction
-- $named     the texts of the named values; missing for all values
-- sensitive  the sensitive attribute
-- classes    privacy/class_rows
-- values     the QID's columns of the classes
-- everybody  the column with the number of persons of a class, if persons are counted; otherwise any column
-- size       #rows or #persons
--
-- One row: the largest share of a value in a class, the number of classes with too large a share, and the number of
-- rows in these classes.
select
    max(first / size) as largest,
    count(*) filter (where violates) as violating_classes,
    cast(coalesce(sum(class_rows) filter (where violates), 0) as bigint) as violating_rows
from (
    select
        {size} as size,
        any_value(class_rows) as class_rows,
        coalesce(max(rows) filter (where asked), 0) as first,
        cast(first as hugeint) * cast($parts as hugeint) > cast(size as hugeint) * cast($share as hugeint) as violates
    from (
        select
            {values},
            cast(sum(size) as bigint) as rows,
            any_value(class_rows) as class_rows,
            any_value({everybody}) as everybody,
            $named is null
                or coalesce(list_contains(cast($named as varchar[]), cast({sensitive} as varchar)), false) as asked
        from {classes}
        group by
            {values},
            {sensitive}
    )
    group by {values}
)

-- section: rows
-- Denominator of a share: the number of rows of a class.
sum(rows)

-- section: persons
-- Denominator of a share: the number of persons of a class.
any_value(everybody)
