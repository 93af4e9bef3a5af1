-- A release as one statement, for a dbt model: where its source or its seeds are not those that it was made with, it is
-- an error.
--
-- tables      one #seed per table that the release needs, #stage of the source, that of the release and, where this one
--             tells persons apart, that of what leaves
-- release     the name of what leaves
-- conditions  #builtins, #same_types, one #same_seed per table, one #holds per quasi-identifier of the
--             requirement
--
-- One row per row of the source that is not suppressed.
with
{tables}
select *
from {release}
where {conditions}

-- section: holds
-- What was counted on a release is there, or it was an error.
--
-- recount  releases/recount
(
    select recounted
    from (
        {recount}
    )
) is not null

-- section: builtins
-- The database has no macro by the name of a built-in function, or it was an error.
--
-- found  releases/script#builtins
(
    select builtins
    from (
        {found}
    )
)

-- section: same_seed
-- A seed has the rows that a model was made with, or it was an error.
--
-- found  releases/dbt_seed#fingerprint
-- made   what it was
(
    select
        case
            when fingerprint = {made}
            then true
            else error('not the seeds that this model was made with: compile again, then dbt build')
        end
    from (
        {found}
    )
)

-- section: same_types
-- The columns of a source have the types that they had when a model was made, or it was an error.
--
-- relation  the source
-- types     one #typed per column that is not a text
(
    select
        case
            when count(*) filter (where not ({types})) = 0
            then true
            else error('not the source that this model was made for, but of other types: nothing is released')
        end
    from {relation}
)

-- section: typed
-- Whether a column has the type that it had.
--
-- column  the column
-- type    the type, as the working store writes it
typeof({column}) = {type}

-- section: seed
-- A dbt seed as a table that a release needs.
--
-- name   its name
-- cells  one #seed_cell per column
-- seed   the seed
{name} as (
    select
        {cells}
    from {seed}
)

-- section: seed_cell
-- A cell of a dbt seed: = and its text, so that no reader takes it for another type, or for a missing value.
--
-- column  the column
-- type    its type
cast(substr({column}, 2) as {type}) as {column}

-- section: stage
-- Rows that a model reads once and no more, whatever happens to their source meanwhile.
--
-- name  what they go by
-- rows  the statement that yields them
{name} as materialized (
    {rows}
)
