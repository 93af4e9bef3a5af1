-- The classes of a staged full-domain release, compared with the classes of its population at the same levels.
--
-- texts        one verify/recount#cell per quasi-identifier, as cell_1, cell_2, …
-- staged       verify/sizes of the staged release
-- generalized  the texts of the population's values at the release's levels, as cell_1, cell_2, …
-- population   the people of the population by tuple: value_1, value_2, …, people
-- members      one #member per quasi-identifier
-- cells        cell_1, cell_2, …
--
-- One row per class of the release or the population: the numbers of its rows and of its people, either possibly 0.
select
    {cells},
    cast(sum(size) as bigint) as size,
    cast(sum(people) as bigint) as people
from (
    select
        {texts},
        size,
        0 as people
    from {staged}
    union all by name
    select
        {generalized},
        0 as size,
        population.people
    from {population} as population
    {members}
)
group by {cells}

-- section: member
-- The join of a population's value with its texts at each level.
--
-- table  the dimension table of the attribute: codes and texts at every level
-- value  the attribute's column of the population
join {table}
    on {table}.inhabited
    and {table}.value is not distinct from population.{value}
