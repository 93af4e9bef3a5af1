-- A release as one statement, for a dbt model: it is an error if its source or its files of values changed since.
--
-- tables      one #values per table that the release needs, #stage of the source, that of the release and, if the
--             release tells persons apart, that of its projection
-- release     the name of what leaves
-- conditions  #builtins, #same_types, one #same_values per table, one #holds per quasi-identifier of the
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

-- section: same_values
-- A file of values has the rows that a model was made with, or it was an error.
--
-- found  exports/value_file#fingerprint
-- made   what it was
(
    select
        case
            when fingerprint = {made}
            then true
            else error('not the files of values that this model was made with: compile again, then dbt build')
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

-- section: values
-- A file of values as a table that a release needs.
--
-- name   its name
-- cells  one #cell per column
-- rows   #file
{name} as (
    select
        {cells}
    from {rows}
)

-- section: cell
-- A cell of a file of values: = and its text, so that no reader takes it for another type, or for a missing value.
--
-- column  the column
-- type    its type
cast(substr({column}, 2) as {type}) as {column}

-- section: file
-- The rows of a file of values, which are in no table that somebody else could read.
--
-- path     the file
-- columns  one #column per column
read_csv(
    {path},
    auto_detect = false,
    header = true,
    delim = ',',
    quote = '"',
    escape = '"',
    columns = struct_pack({columns})
)

-- section: column
-- A column of a file of values, of which all cells are texts.
--
-- column  the column
{column} := 'VARCHAR'

-- section: stage
-- Rows that a model reads once and no more, whatever happens to their source meanwhile.
--
-- name  what they go by
-- rows  the statement that yields them
{name} as materialized (
    {rows}
)
