{#
    A test: no value of a sensitive column, or none of some, has more than alpha / parts of a class of the
    quasi-identifiers ((alpha,k)-anonymity). A missing value is none, unless missing says value. A cell is one of some
    values if its type calls them equal, such as 1 and 1.0, or if it reads like one; a value that the column's type
    cannot read is an error.

    It yields one row if it fails, and no count: those of classes of fewer than k rows would tell too much.
#}
{% test alpha_bounded(model, quasi_identifiers, sensitive, alpha, parts=1, values=[], missing="none") %}
{{- starcloak.refuse_sensitive(
    "alpha_bounded", quasi_identifiers, sensitive,
    alpha is integer and alpha >= 1 and parts is integer and values is not string, "alpha and parts, whole numbers", missing
) -}}
select {{ alpha }} as required
where {% call starcloak.in_some_class(model, quasi_identifiers, sensitive, missing, values) -%}
    where value_rows * {{ parts }} > size * {{ alpha }}
        {{- " and named = 1" if values }}
{%- endcall %}
{% endtest %}
