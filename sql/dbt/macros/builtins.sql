{#
    That DuckDB has a macro by the name of a built-in function is an error, else false: a count would call that one. What
    asks for it is named with its schema, so that no macro can take its place. Other databases look among their own first.
#}
{% macro builtins_replaced() %}
{%- if target.type == "duckdb" %}
(
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
)
{%- else %}
false
{%- endif %}
{% endmacro %}
