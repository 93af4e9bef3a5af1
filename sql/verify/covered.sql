-- The classes of a staged release beside the people of its population covered by their cells, at whatever levels these
-- are. A text present at several levels counts at the highest one.
--
-- texts        one verify/recount#cell per quasi-identifier, as cell_1, cell_2, …
-- staged       verify/sizes of the staged release
-- cells        cell_1, cell_2, …
-- levels       one #level per quasi-identifier, as at_1, at_2, …
-- known        one #known per quasi-identifier
-- at           at_1, at_2, …
-- generalized  one #generalized per quasi-identifier, as cell_1, cell_2, …
-- population   the people of the population by tuple: value_1, value_2, …, people
-- members      one verify/population_classes#member per quasi-identifier
-- match        one #same per quasi-identifier
--
-- One row per class: its rows, and the people of the population covered by its cells.
with released as materialized (
    select
        staged.*,
        {levels}
    from (
        select
            {texts},
            cast(sum(size) as bigint) as size
        from {staged}
        group by {cells}
    ) as staged
    {known}
),

covering as (
    select
        {at},
        {generalized},
        cast(sum(population.people) as bigint) as people
    from (
        select distinct {at}
        from released
    ) as shape
    cross join {population} as population
    {members}
    group by all
)

select
    released.size,
    cast(coalesce(sum(covering.people), 0) as bigint) as people
from (
    select
        row_number() over () as class,
        *
    from released
) as released
left join covering
    on {match}
group by
    released.class,
    released.size

-- section: level
-- The level of a cell.
--
-- known  the name of its values and their levels
{known}.level

-- section: known
-- Texts of one quasi-identifier's values at the used levels, each at the highest.
--
-- known   the alias of the joined texts
-- levels  these levels, as numbers
-- texts   their columns
-- table   the dimension table
-- cell    its column of the classes
left join (
    select
        text,
        max(level) as level
    from (
        select
            unnest([{levels}]) as level,
            unnest([{texts}]) as text
        from {table}
        where inhabited
    )
    group by text
) as {known}
    on {known}.text is not distinct from staged.{cell}

-- section: generalized
-- The text of a population's value at the level of a class's cell.
--
-- levels  these levels, as numbers
-- texts   their columns
-- at      the level
[{texts}][list_position([{levels}], shape.{at})]

-- section: same
-- Condition for a value of the population equal, at the level of the class's cell, to this cell. A cell of no known
-- level covers nobody.
--
-- at    the level
-- cell  the cell
covering.{at} = released.{at}
    and covering.{cell} is not distinct from released.{cell}
