-- An audit: in every class of the quasi-identifiers the most frequent value of a sensitive column has fewer rows than
-- c / parts times all values from the l-th most frequent on (recursive (c,l)-diversity). A missing value is none, unless missing says 'value'.
--
-- It yields one row where it fails, and no count.
AUDIT (
  name recursive_l_diverse,
  dialect duckdb,
  defaults (missing = 'none', parts = 1)
);

select @l as required
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
    having max(value_rows) * @parts >= sum(case when place >= @l then value_rows else 0 end) * @c
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
    having max(value_rows) * @parts >= sum(case when place >= @l then value_rows else 0 end) * @c
)
or exists (
    select 1
    from @this_model
    group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    having @missing = 'none' and count(@sensitive) = 0
)
