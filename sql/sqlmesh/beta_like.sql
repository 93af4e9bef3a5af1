-- An audit: the share q of a sensitive value in a class of the quasi-identifiers and that p of the table: (q - p) / p
-- is at most beta, or, if enhanced, at most the smaller of beta and -ln p (beta-likeness). What is too near to the
-- bound for floating point fails.
--
-- It yields one row where it fails, and no count.
AUDIT (
  name beta_like,
  dialect duckdb,
  defaults (missing = 'value', enhanced = false)
);

select @beta as required
where exists (
    select 1
    from (
        select
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
    where 1.0 * value_rows * whole / (1.0 * size * total) > (1 + @beta) * 0.999999999
        or @enhanced
            and 1.0 * value_rows * whole / (1.0 * size * total) > (1 + ln(whole) - ln(total)) * 0.999999999
            and total < whole
)
or exists (
    select 1
    from @this_model
    group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    having @missing = 'none' and count(@sensitive) = 0
)
