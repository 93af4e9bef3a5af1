-- A release as one statement, for a dbt model: it is an error if its source or its files of values changed since.
--
-- tables      common table expressions: one #values per table needed by the release, #stage of the source, #stage of
--             the release and, if the release has columns that identify persons, #stage of its projection
-- release     the name of the released table
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
-- Condition for a recount of the release without a violation; the recount raises an error otherwise.
--
-- recount  releases/recount
(
    select recounted
    from (
        {recount}
    )
) is not null

-- section: builtins
-- Condition for a database without a macro of the name of a built-in function; such a macro raises an error.
--
-- found  releases/script#builtins
(
    select builtins
    from (
        {found}
    )
)

-- section: same_values
-- Condition for a file of values with the same rows as at the export of the model; other rows raise an error.
--
-- found  exports/value_file#fingerprint
-- made   the fingerprint at the time of the export
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
-- Condition for columns of the source with the same types as at the export of the model; others raise an error.
--
-- relation  the source
-- types     one #typed per column other than texts
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
-- True if a column of the source has the same type as at the export of the model.
--
-- column  the column
-- type    the type, as the working store writes it
typeof({column}) = {type}

-- section: values
-- A common table expression with the rows of a file of values.
--
-- name   the table's name
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
-- type    the column's type
cast(substr({column}, 2) as {type}) as {column}

-- section: file
-- The rows of a file of values. No table contains these rows, so no other user of the database sees them.
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
-- A column of a file of values. All of its cells are texts.
--
-- column  the column
{column} := 'VARCHAR'

-- section: stage
-- A materialized common table expression, so that a model reads its rows once even if their source changes meanwhile.
--
-- name  the name of the common table expression
-- rows  the statement with the rows
{name} as materialized (
    {rows}
)
