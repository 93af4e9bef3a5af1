-- The bound of c in recursive (c, l)-diversity, for each l: all classes satisfy the model for every c above the bound.
--
-- held    commands/audit/held
-- values  the columns of the quasi-identifier
--
-- One row per l, from 2 to the smallest number of values in a class.
select
    place as l,
    max(most / rest) as c
from (
    select
        place,
        rest,
        max(held) over (partition by {values}) as most,
        max(place) over (partition by {values}) as places
    from {held}
    where sensitive is not null
)
group by place
having place > 1
    and count(*) = (
        select count(*)
        from {held}
        where place = 1
    )
order by place
