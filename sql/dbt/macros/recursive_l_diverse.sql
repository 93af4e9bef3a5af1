{#
    A test: in every class of the quasi-identifiers the most frequent value of a sensitive column has fewer rows than c
    / parts times all values from the l-th most frequent on (recursive (c,l)-diversity). A missing value is none, unless missing says value.

    It yields one row if it fails, and no count: those of classes of fewer than k rows would tell too much.
#}
{% test recursive_l_diverse(model, quasi_identifiers, sensitive, l, c, parts=1, missing="none") %}
{{- starcloak.refuse_sensitive(
    "recursive_l_diverse", quasi_identifiers, sensitive,
    l is integer and l >= 2 and c is integer and c >= 1 and parts is integer and parts >= 1, "l, 2 or more, c and parts, whole numbers", missing
) -}}
select {{ l }} as required
where {% call starcloak.in_some_class(model, quasi_identifiers, sensitive, missing) -%}
    group by {{ starcloak.classes_of(quasi_identifiers) }}
    having max(value_rows) * {{ parts }} >= sum(case when place >= {{ l }} then value_rows else 0 end) * {{ c }}
{%- endcall %}
{% endtest %}
