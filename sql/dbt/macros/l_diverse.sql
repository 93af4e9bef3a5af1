{#
    A test: every class of the quasi-identifiers has at least l different values of a sensitive column (distinct
    l-diversity). A missing value is none, unless missing says value; missing values of quasi-identifiers are equal to each other. Sensitive values
    that their type calls equal, such as a month and thirty days, are one, and so are those that read alike.

    It yields one row where it fails, and no count: those of classes of fewer than k rows would tell too much.
#}
{% test l_diverse(model, quasi_identifiers, sensitive, l, missing="none") %}
{%- if quasi_identifiers is string or not quasi_identifiers or sensitive is not string or l is not integer or l < 2 -%}
    {{ exceptions.raise_compiler_error("l_diverse needs quasi_identifiers, a list of columns, sensitive, a column, and l, 2 or more") }}
{%- endif -%}
select
    {{ l }} as required_l
from (
    select min(diversity) as fewest
    from (
        select least(
            count(distinct {{ starcloak.quoted(sensitive) }}),
            count(distinct {{ starcloak.as_read(starcloak.quoted(sensitive)) }})
        ) {%- if missing == "value" %} + max(case when {{ starcloak.quoted(sensitive) }} is null then 1 else 0 end) {%- endif %} as diversity
        from {{ model }}
        group by
        {%- for column in quasi_identifiers %}
            {%- set name = starcloak.quoted(column) %}
            {{ name }}, {{ starcloak.as_read(name) }}{{ "," if not loop.last }}
        {%- endfor %}
    ) as classes
) as worst
where fewest < {{ l }}
{% endtest %}
