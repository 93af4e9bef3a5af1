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
            min(cell) as cell,
            count(*) as value_rows,
            sum(count(*)) over (partition by as_typed, class) as size
        from (
            select
                as_typed,
                class,
                cell,
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
    where value_rows * @parts > size * @alpha
        and (len(@values) = 0 or cell in (select unnest(@values)))
)
or exists (
    select 1
    from @this_model
    group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    having @missing = 'none' and count(@sensitive) = 0
)
