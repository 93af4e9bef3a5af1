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
            class,
            cell,
            value_rows,
            row_number() over (partition by class order by value_rows desc) as place,
            sum(value_rows) over (partition by class) as size,
            sum(value_rows) over (partition by grouped) as total,
            sum(value_rows) over () as whole
        from (
            select
                class,
                grouped,
                min(cell) as cell,
                count(*) as value_rows
            from (
                select
                    row(@EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))) as class,
                    cast(@sensitive as varchar) as cell,
                    @sensitive as grouped
                from @this_model
                where @missing = 'value' or @sensitive is not null
            ) as cells
            group by
                class,
                grouped
        ) as value_rows_of
    ) as value_counts
    group by class
    having sum(
        case when value_rows * whole > total * size then value_rows * whole - total * size else 0 end
    ) * @parts > max(size) * max(whole) * @t
)
or exists (
    select 1
    from (
        select
            class,
            cell,
            value_rows,
            row_number() over (partition by class order by value_rows desc) as place,
            sum(value_rows) over (partition by class) as size,
            sum(value_rows) over (partition by grouped) as total,
            sum(value_rows) over () as whole
        from (
            select
                class,
                grouped,
                min(cell) as cell,
                count(*) as value_rows
            from (
                select
                    row(@EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))) as class,
                    cast(@sensitive as varchar) as cell,
                    encode(cast(@sensitive as varchar)) as grouped
                from @this_model
                where @missing = 'value' or @sensitive is not null
            ) as cells
            group by
                class,
                grouped
        ) as value_rows_of
    ) as value_counts
    group by class
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
