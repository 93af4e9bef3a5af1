{#
    A test: the earth mover's distance between the values of a sensitive column in a class of the quasi-identifiers and
    those in the table is at most t / parts (t-closeness). Values are as far from each other (equal), or by their places in the
    order, or, without one, by their numbers (ordered). A missing value is a value, unless missing says none. A value that has no place of its own
    fails, as do NaN and the infinities.

    It yields one row if it fails, and no count: those of classes of fewer than k rows would tell too much.
#}
{% test t_close(model, quasi_identifiers, sensitive, t, parts=1, distance="equal", order=[], missing="value") %}
{{- starcloak.refuse_sensitive(
    "t_close", quasi_identifiers, sensitive,
    t is integer and t >= 0 and parts is integer and distance in ["equal", "ordered"] and order is not string,
    "t and parts, whole numbers, and distance: equal or ordered", missing
) -}}
select {{ t }} as required
where {% for as_typed in [true, false] -%}
exists (
    {%- if distance == "equal" %}
    select 1
    from (
        {{ starcloak.sensitive_rows(model, quasi_identifiers, sensitive, as_typed, missing) }}
    ) as value_counts
    group by {{ starcloak.classes_of(quasi_identifiers) }}
    having sum(
        case when value_rows * whole > total * size then value_rows * whole - total * size else 0 end
    ) * {{ parts }} > max(size) * max(whole) * {{ t }}
    {%- else %}
    with value_counts as (
        select
            dense_rank() over (order by {{ starcloak.classes_of(quasi_identifiers) }}) as class,
            cell,
            {%- if order %}
            case
                {%- for value in order %}
                when {{ "cell is null" if value is none else "cell = " ~ starcloak.text(value) }} then {{ loop.index }}
                {%- endfor %}
            end as place,
            {%- else %}
            cast(cell as double precision) as place,
            {%- endif %}
            value_rows,
            size,
            total,
            whole
        from (
            {{ starcloak.sensitive_rows(model, quasi_identifiers, sensitive, as_typed, missing) }}
        ) as found
    ),

    every as (
        select
            each.class,
            each.size,
            each.whole,
            value_of.place,
            value_of.total,
            coalesce(found.value_rows, 0) as value_rows
        from (select distinct class, size, whole from value_counts) as each
        cross join (select place, max(total) as total from value_counts group by place) as value_of
        left join value_counts as found
            on found.class = each.class
            and found.place = value_of.place
    ),

    running as (
        select
            class,
            size,
            whole,
            sum(value_rows) over (partition by class order by place) * whole
            - sum(total) over (partition by class order by place) * size as extra
        from every
    )

    select 1
    from running
    group by class
    having sum(abs(extra)) * {{ parts }}
        > max(size) * max(whole) * {{ t }} * (select count(distinct place) - 1 from value_counts)
        or exists (select 1 from value_counts where place is null or place - place <> 0)
        or exists (select 1 from value_counts group by place having min(cell) <> max(cell))
    {%- endif %}
)
{{ "or" if not loop.last }}
{% endfor %}
{{- starcloak.or_without_values(model, quasi_identifiers, sensitive, missing) }}
{% endtest %}
