-- The classes of a staged local recoding, each with the number of people in the population covered by its cells. Cells
-- of one attribute may be at several levels; a text present at several levels counts as the highest one.
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
-- known  the alias of the attribute's texts and their levels
{known}.level

-- section: known
-- Join with the texts of one quasi-identifier's values at the used levels, each text with its highest level.
--
-- known   the alias of the joined texts
-- levels  the used levels, as numbers
-- texts   the columns of these levels
-- table   the dimension table of the attribute: codes and texts at every level
-- cell    the quasi-identifier's column of the classes
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
-- levels  the used levels, as numbers
-- texts   the columns of these levels
-- at      the level
[{texts}][list_position([{levels}], shape.{at})]

-- section: same
-- Condition for a class's cell covering a value of the population: both are equal at the level of the cell. A cell
-- without a known level covers nobody.
--
-- at    the level
-- cell  the cell
covering.{at} = released.{at}
    and covering.{cell} is not distinct from released.{cell}
