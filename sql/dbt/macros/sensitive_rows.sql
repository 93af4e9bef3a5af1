{#
    How many rows of each class of the quasi-identifiers have which value of a sensitive column, the most frequent first:
    a relation of class columns, value_rows and place. A missing value is a value; values that read alike are one, or,
    with as_typed, those that their type calls equal.
#}
{% macro sensitive_rows(model, quasi_identifiers, sensitive, as_typed) %}
    select
        {%- for column in quasi_identifiers %}
            {%- set name = starcloak.quoted(column) %}
        {{ name }} as class_{{ loop.index }},
        {{ starcloak.as_read(name) }} as class_read_{{ loop.index }},
        {%- endfor %}
        {%- set name = starcloak.quoted(sensitive) %}
        count(*) as value_rows,
        row_number() over (
            partition by {{ starcloak.class_columns(quasi_identifiers) }}
            order by count(*) desc
        ) as place
    from {{ model }}
    group by
        {{ starcloak.class_columns(quasi_identifiers) }},
        {{ name if as_typed else starcloak.as_read(name) }}
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
