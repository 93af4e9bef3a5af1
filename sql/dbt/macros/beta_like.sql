{#
    A test: the share q of a sensitive value in a class of the quasi-identifiers and that p of the table: (q - p) / p
    is at most beta, or, if enhanced, at most the smaller of beta and -ln p (beta-likeness). What is too near to the
    bound for floating point fails.

    It yields one row if it fails, and no count: those of classes of fewer than k rows would tell too much.
#}
{% test beta_like(model, quasi_identifiers, sensitive, beta, enhanced=false, missing="value") %}
{{- starcloak.refuse_sensitive(
    "beta_like", quasi_identifiers, sensitive, beta is number and beta > 0, "beta, more than 0", missing
) -}}
select {{ beta }} as required
where {% call starcloak.in_some_class(model, quasi_identifiers, sensitive, missing) -%}
    where 1.0 * value_rows * whole / (1.0 * size * total) > (1 + {{ beta }}) * 0.999999999
        {%- if enhanced %}
        or 1.0 * value_rows * whole / (1.0 * size * total) > (1 + ln(whole) - ln(total)) * 0.999999999
            and total < whole
        {%- endif %}
{%- endcall %}
{% endtest %}
