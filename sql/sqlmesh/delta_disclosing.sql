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
    having max(abs(ln(value_rows) + ln(whole) - ln(size) - ln(total))) >= @delta * ln(2) - 0.000000001
        or sum(total) < max(whole)
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
    having max(abs(ln(value_rows) + ln(whole) - ln(size) - ln(total))) >= @delta * ln(2) - 0.000000001
        or sum(total) < max(whole)
)
or exists (
    select 1
    from @this_model
    group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    having @missing = 'none' and count(@sensitive) = 0
)
