{#
    A test: in every class of the quasi-identifiers the most frequent value of a sensitive column has fewer rows than
    c / parts times all values from the l-th most frequent on (recursive (c,l)-diversity). A missing value is a value.

    It yields one row where it fails, and no count: those of classes of fewer than k rows would tell too much.
#}
{% test recursive_l_diverse(model, quasi_identifiers, sensitive, l, c, parts=1) %}
{%- if quasi_identifiers is string or not quasi_identifiers or sensitive is not string or l is not integer or l < 2 or c is not integer or c < 1 or parts is not integer or parts < 1 -%}
    {{ exceptions.raise_compiler_error("recursive_l_diverse needs quasi_identifiers, a list of columns, sensitive, a column, and l, 2 or more, c and parts, whole numbers") }}
{%- endif -%}
select
    {{ l }} as required_l
where {% for as_typed in [true, false] -%}
exists (
    select 1
    from (
        {{ starcloak.sensitive_rows(model, quasi_identifiers, sensitive, as_typed) }}
    ) as value_counts
    group by {{ starcloak.classes_of(quasi_identifiers) }}
    having max(value_rows) * {{ parts }} >= sum(case when place >= {{ l }} then value_rows else 0 end) * {{ c }}
)
{{ "or" if not loop.last }}
{% endfor %}
{% endtest %}
