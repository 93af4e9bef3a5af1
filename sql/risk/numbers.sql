-- Whether the values of a sensitive attribute are numbers of which no two are equal.
--
-- number  risk/number or the values themselves
-- held    risk/held
--
-- One row.
select
    count(*) = count(sensitive)
    and count(sensitive) = count({number}) filter (where isfinite(cast({number} as double)))
    and count(distinct {number}) = count(distinct sensitive) as are_numbers
from {held}
