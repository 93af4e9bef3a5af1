-- The shares that values of a sensitive attribute have of the classes of a QID. A missing value is a value.
--
-- $share     the largest that is allowed, times its parts
-- $parts     the parts
-- $named     the values that are asked about, as they read; missing where all are
-- sensitive  the sensitive attribute
-- classes    verify/class_rows
-- values     those of the QID
-- everybody  the column of the persons of a class, where they are told apart; any other one elsewhere
-- size       #rows or #persons
--
-- One row: the largest share; how many classes have too large a one, and how many rows those have.
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
-- What a share is one of: the rows of a class.
sum(rows)

-- section: persons
-- What a share is one of: the persons of a class.
any_value(everybody)
