-- An audit: no value of a sensitive column, or none of some, as they read, has more than alpha / parts of a class
-- of the quasi-identifiers ((alpha,k)-anonymity). A missing value is none, unless missing says 'value'.
--
-- It yields one row where it fails, and no count.
AUDIT (
  name alpha_bounded,
  dialect duckdb,
  defaults (missing = 'none', parts = 1, values = ARRAY[])
);

select @alpha as required
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
    where value_rows * @parts > size * @alpha
        and (len(@values) = 0 or cell in (select unnest(@values)))
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
    where value_rows * @parts > size * @alpha
        and (len(@values) = 0 or cell in (select unnest(@values)))
)
or exists (
    select 1
    from @this_model
    group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    having @missing = 'none' and count(@sensitive) = 0
)
