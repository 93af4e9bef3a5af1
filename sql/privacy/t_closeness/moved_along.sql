-- What moves between a class and the table past how many values of the order.
--
-- every   privacy/t_closeness/every
-- places  privacy/t_closeness/places
--
-- One row per class: its rows, those of the table, and what moves, times both.
select
    any_value(size) as size,
    any_value(whole) as whole,
    sum(abs(until)) as moved
from (
    select
        class,
        size,
        whole,
        sum(extra) over (partition by class order by place) as until
    from {every} as every
    join {places} as place
        on place.text is not distinct from every.text
)
group by class
