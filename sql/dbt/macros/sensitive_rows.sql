{#
    How many rows of each class of the quasi-identifiers have which value of a sensitive column, as cell. A missing value
    is none, or a value, as missing says; values that read alike are one, or, with as_typed, those that their type calls
    equal. If there are values, named is 1 for a cell that is one of them, by its type or by its text, else 0; it is an
    error if one of them cannot be read as the column's type.

    One row per class and value: its rows, its place among the values of the class, the most frequent first, the rows of
    the class, those that have the value, and all.
#}
{% macro sensitive_rows(model, quasi_identifiers, sensitive, as_typed, missing, values=[]) %}
    {%- set name = starcloak.quoted(sensitive) %}
    {%- set cell = name if as_typed else starcloak.as_read(name) %}
    {%- set classes = starcloak.class_columns(quasi_identifiers) %}
    select
        {%- for column in quasi_identifiers %}
            {%- set column_name = starcloak.quoted(column) %}
        {{ column_name }} as class_{{ loop.index }},
        {{ starcloak.as_read(column_name) }} as class_read_{{ loop.index }},
        {%- endfor %}
        min(cast({{ name }} as varchar)) as cell,
        {%- if values %}
        {%- set texts %}{% for value in values %}{{ starcloak.text(value) }}{{ ", " if not loop.last }}{% endfor %}{% endset %}
        max(case when {{ name }} in ({{ texts }}) or cast({{ name }} as varchar) in ({{ texts }}) then 1 else 0 end) as named,
        {%- endif %}
        count(*) as value_rows,
        row_number() over (partition by {{ classes }} order by count(*) desc) as place,
        sum(count(*)) over (partition by {{ classes }}) as size,
        sum(count(*)) over (partition by {{ cell }}) as total,
        sum(count(*)) over () as whole
    from {{ model }}
    {%- if missing == "none" %}
    where {{ name }} is not null
    {%- endif %}
    group by
        {{ classes }},
        {{ cell }}
{% endmacro %}


{# That what the caller says is so in some class, by values that their type calls equal or by those that read alike. #}
{% macro in_some_class(model, quasi_identifiers, sensitive, missing, values=[]) %}
{%- for as_typed in [true, false] %}
exists (
    select 1
    from (
        {{ starcloak.sensitive_rows(model, quasi_identifiers, sensitive, as_typed, missing, values) }}
    ) as value_counts
{{ caller() }}
)
{{ "or" if not loop.last }}
{%- endfor %}
{{- starcloak.or_without_values(model, quasi_identifiers, sensitive, missing) }}
{% endmacro %}


{# Or that a class has no value at all, where a missing one is none; or that a macro would count. #}
{% macro or_without_values(model, quasi_identifiers, sensitive, missing) %}
    {%- if missing == "none" %}
or exists (
    select 1
    from {{ model }}
    group by {{ starcloak.class_columns(quasi_identifiers) }}
    having count({{ starcloak.quoted(sensitive) }}) = 0
)
    {%- endif %}
or {{ starcloak.builtins_replaced() }}
{% endmacro %}


{# The columns that tell classes apart, in the model itself. #}
{% macro class_columns(quasi_identifiers) %}
        {%- for column in quasi_identifiers %}
            {%- set name = starcloak.quoted(column) %}
        {{ name }}, {{ starcloak.as_read(name) }}{{ "," if not loop.last }}
        {%- endfor %}
{% endmacro %}


{# The same columns in what sensitive_rows yields. #}
{% macro classes_of(quasi_identifiers) %}
        {%- for column in quasi_identifiers %}
        class_{{ loop.index }}, class_read_{{ loop.index }}{{ "," if not loop.last }}
        {%- endfor %}
{% endmacro %}


{# The arguments that every test of a sensitive column has, checked: {{ needs }} tells what it needs beside. #}
{% macro refuse_sensitive(name, quasi_identifiers, sensitive, fits, needs, missing) %}
    {%- if missing not in ["none", "value"] -%}
        {{ exceptions.raise_compiler_error(name ~ " takes missing: none or value") }}
    {%- endif -%}
    {%- if quasi_identifiers is string or not quasi_identifiers or sensitive is not string or not fits -%}
        {{ exceptions.raise_compiler_error(
            name ~ " needs quasi_identifiers, a list of columns, sensitive, a column, and " ~ needs
        ) }}
    {%- endif -%}
{% endmacro %}


{# A text as a constant, whatever it has in it. #}
{% macro text(value) %}{{ return("'" ~ (value | string | replace("'", "''")) ~ "'") }}{% endmacro %}
