{#
    A test: no class of the quasi-identifiers has fewer than k rows. Missing values are equal to each other.

    It yields one row if it fails; it never shows counts between 1 and k - 1, not in stored failures either.
#}
{% test k_anonymous(model, quasi_identifiers, k) %}
{{- starcloak.violating_classes("k_anonymous", model, quasi_identifiers, k) -}}
{% endtest %}


{# The statement of the test: {{ name }} needs its arguments. #}
{% macro violating_classes(name, model, quasi_identifiers, k) %}
{%- if quasi_identifiers is string or not quasi_identifiers or k is not integer or k < 1 -%}
    {{ exceptions.raise_compiler_error(name ~ " needs quasi_identifiers, a list of columns, and k, 1 or more") }}
{%- endif -%}
select
    {{ k }} as required_k,
    case when violating_classes >= {{ k }} then violating_classes end as violating_classes,
    case when violating_rows >= {{ k }} then violating_rows end as violating_rows
from (
    select
        count(*) as violating_classes,
        sum(size) as violating_rows
    from (
        select count(*) as size
        from {{ model }}
        group by {{ starcloak.class_columns(quasi_identifiers) }}
    ) as classes
    where size < {{ k }}
) as violating
where violating_classes > 0
union all
select
    {{ k }} as required_k,
    null as violating_classes,
    null as violating_rows
where {{ starcloak.builtins_replaced() }}
{% endmacro %}


{# A column's name, whatever it has in it: dbt itself doubles no quote. #}
{% macro quoted(column) %}
    {%- set quote = adapter.quote("x")[0] -%}
    {{ return(adapter.quote(column | string | replace(quote, quote ~ quote))) }}
{% endmacro %}


{#
    A cell as its reader sees it, beside the cell itself: a collation may call texts equal that somebody can tell apart,
    and so may a type its values, such as a month and thirty days; a text may leave out what a type tells.
#}
{% macro as_read(column) %}{{ return(adapter.dispatch("as_read", "starcloak")(column)) }}{% endmacro %}

{% macro default__as_read(column) %}{{ return(column) }}{% endmacro %}

{% macro duckdb__as_read(column) %}{{ return("encode(cast(" ~ column ~ " as varchar))") }}{% endmacro %}

{% macro postgres__as_read(column) %}{{ return("cast(" ~ column ~ ' as text) collate "C"') }}{% endmacro %}
