{#
    A test: the share q of a sensitive value in a class of the quasi-identifiers and that p of the table: abs(log2(q / p))
    is less than delta, for every value of the table; a class that lacks one fails (delta-disclosure privacy). What is too
    near to the bound for floating point fails.

    It yields one row if it fails, and no count: those of classes of fewer than k rows would tell too much.
#}
{% test delta_disclosing(model, quasi_identifiers, sensitive, delta, missing="value") %}
{{- starcloak.refuse_sensitive(
    "delta_disclosing", quasi_identifiers, sensitive, delta is number and delta > 0, "delta, more than 0", missing
) -}}
select {{ delta }} as required
where {% call starcloak.in_some_class(model, quasi_identifiers, sensitive, missing) -%}
    group by {{ starcloak.classes_of(quasi_identifiers) }}
    having max(abs(ln(value_rows) + ln(whole) - ln(size) - ln(total))) >= {{ delta }} * ln(2) - 0.000000001
        or sum(total) < max(whole)
{%- endcall %}
{% endtest %}
