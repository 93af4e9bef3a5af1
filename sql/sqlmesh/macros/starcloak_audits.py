"""Macros of the audits."""

from __future__ import annotations

from sqlglot import exp
from sqlmesh import macro
from sqlmesh.core.macros import MacroEvaluator

# What asks for it is named with its schema, so that no macro can take its place.
_REPLACED = """(
    select
        case
            when exists (
                select 1
                from system.main.duckdb_functions() as own
                join system.main.duckdb_functions() as builtin
                    on system.main.lower(own.function_name) = builtin.function_name
                    and builtin.internal
                where not own.internal
            )
            then system.main.error(
                'the database has a macro by the name of a built-in function, which would count in its place: drop it'
            )
            else false
        end
)"""


@macro()
def in_some_class(
    evaluator: MacroEvaluator,
    model: exp.Expression,
    quasi_identifiers: exp.Expression,
    sensitive: exp.Column,
    missing: exp.Literal,
    condition: exp.Expression,
    values: exp.Expression | None = None,
) -> str:
    """That a condition is so in some class, by values that their type calls equal or by those that read alike.

    It is of one row per class and value, or of a class where it aggregates these: the value as a text, cell; its rows,
    value_rows; its place among the values of the class, the most frequent first; the rows of the class, size; those
    that have the value, total; and all, whole. If there are values, named says that the cell is one of them, by its
    type or by its text; it is an error if the type cannot read one. Where a missing value is none, it is so of a class
    without a value, too.
    """
    names = [name.sql("duckdb") for name in quasi_identifiers.expressions or [quasi_identifiers.unnest()]]
    classes = ", ".join([*names, *(f"encode(cast({name} as varchar))" for name in names)])
    table, column = model.sql("duckdb"), sensitive.sql("duckdb")
    keyword = "group by as_typed, class having" if condition.find(exp.AggFunc) else "where"
    said = missing.sql("duckdb")
    listed = values.expressions if values else []
    written = [value.name if value.is_string else value.sql("duckdb") for value in listed]
    texts = ", ".join(exp.Literal.string(value).sql("duckdb") for value in written)
    named = f"({column} in ({texts}) or cast({column} as varchar) in ({texts}))" if texts else "true"
    return f"""
        exists (
            select 1
            from (
                select
                    as_typed,
                    class,
                    min(cell) as cell,
                    bool_or(named) as named,
                    count(*) as value_rows,
                    row_number() over (partition by as_typed, class order by count(*) desc) as place,
                    sum(count(*)) over (partition by as_typed, class) as size,
                    sum(count(*)) over (partition by as_typed, value, text) as total,
                    sum(count(*)) over (partition by as_typed) as whole
                from (
                    select
                        as_typed,
                        class,
                        cell,
                        named,
                        case when as_typed then cell_value end as value,
                        case when not as_typed then encode(cell) end as text
                    from (
                        select
                            row({classes}) as class,
                            cast({column} as varchar) as cell,
                            {column} as cell_value,
                            {named} as named
                        from {table}
                        where {said} = 'value' or {column} is not null
                    ) as cells
                    cross join (values (true), (false)) as readings(as_typed)
                ) as read_cells
                group by as_typed, class, value, text
            ) as value_counts
            {keyword} {condition.sql("duckdb")}
        )
        or exists (
            select 1
            from {table}
            group by {classes}
            having {said} = 'none' and count({column}) = 0
        )
        or {_REPLACED}
    """


@macro()
def builtins_replaced(evaluator: MacroEvaluator) -> str:
    """False, or an error where DuckDB has a macro by the name of a built-in function, which a count would call."""
    return _REPLACED
