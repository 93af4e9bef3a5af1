{#
    A test: every class of the quasi-identifiers has at least l different values of a sensitive column (distinct
    l-diversity). A missing value is none, unless missing says value; missing values of quasi-identifiers are equal to each other. Sensitive values
    that their type calls equal, such as a month and thirty days, are one, and so are those that read alike.

    It yields one row if it fails, and no count: those of classes of fewer than k rows would tell too much.
#}
{% test l_diverse(model, quasi_identifiers, sensitive, l, missing="none") %}
{{- starcloak.refuse_sensitive(
    "l_diverse", quasi_identifiers, sensitive, l is integer and l >= 2, "l, 2 or more", missing
) -}}
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
        group by {{ starcloak.class_columns(quasi_identifiers) }}
    ) as classes
) as worst
where fewest < {{ l }}
union all
select {{ l }} as required_l
where {{ starcloak.builtins_replaced() }}
{% endtest %}
