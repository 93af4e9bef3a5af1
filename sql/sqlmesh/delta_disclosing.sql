-- An audit: the share q of a sensitive value in a class of the quasi-identifiers and that p of the table: abs(log2(q
-- / p)) is less than delta, for every value of the table; a class that lacks one fails (delta-disclosure privacy).
-- What is too near to the bound for floating point fails.
--
-- It yields one row where it fails, and no count.
AUDIT (
  name delta_disclosing,
  dialect duckdb,
  defaults (missing = 'value')
);

select @delta as required
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
    having max(abs(ln(value_rows) + ln(whole) - ln(size) - ln(total))) >= @delta * ln(2) - 0.000000001
        or sum(total) < max(whole)
)
or exists (
    select 1
    from @this_model
    group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    having @missing = 'none' and count(@sensitive) = 0
)
