{#
    A test: in every class of the quasi-identifiers the entropy of a sensitive column is that of l equally frequent
    values, or more (entropy l-diversity). A missing value is none, unless missing says value. What is too near to the bound for floating point
    fails.

    It yields one row if it fails, and no count: those of classes of fewer than k rows would tell too much.
#}
{% test entropy_l_diverse(model, quasi_identifiers, sensitive, l, missing="none") %}
{{- starcloak.refuse_sensitive(
    "entropy_l_diverse", quasi_identifiers, sensitive, l is number and l > 1, "l, more than 1", missing
) -}}
select {{ l }} as required
where {% call starcloak.in_some_class(model, quasi_identifiers, sensitive, missing) -%}
    group by {{ starcloak.classes_of(quasi_identifiers) }}
    having sum(value_rows) * (ln(sum(value_rows)) - ln({{ l }}) - 0.000000001) < sum(value_rows * ln(value_rows))
{%- endcall %}
{% endtest %}
