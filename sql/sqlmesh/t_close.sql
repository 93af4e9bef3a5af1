-- An audit: the earth mover's distance between the values of a sensitive column in a class of the quasi-identifiers and
-- those in the table is at most t / parts, all values being as far from each other (t-closeness with equal distance). A
-- missing value is a value.
--
-- It yields one row where it fails, and no count.
AUDIT (
  name t_close,
  dialect duckdb,
  defaults (missing = 'value', parts = 1)
);

select @t as required
where exists (
    select 1
    from (
        select
            as_typed,
            class,
            count(*) as value_rows,
            sum(count(*)) over (partition by as_typed, class) as size,
            sum(count(*)) over (partition by as_typed, value, text) as total,
            sum(count(*)) over (partition by as_typed) as whole
        from (
            select
                as_typed,
                class,
                case when as_typed then cell_value end as value,
                case when not as_typed then encode(cell) end as text
            from (
                select
                    row(@EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))) as class,
                    cast(@sensitive as varchar) as cell,
                    @sensitive as cell_value
                from @this_model
                where @missing = 'value' or @sensitive is not null
            ) as cells
            cross join (values (true), (false)) as readings(as_typed)
        ) as read_cells
        group by
            as_typed,
            class,
            value,
            text
    ) as value_counts
    group by
        as_typed,
        class
    having sum(
        case when value_rows * whole > total * size then value_rows * whole - total * size else 0 end
    ) * @parts > max(size) * max(whole) * @t
)
or exists (
    select 1
    from @this_model
    group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    having @missing = 'none' and count(@sensitive) = 0
)
