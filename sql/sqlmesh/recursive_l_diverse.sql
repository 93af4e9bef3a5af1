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
            as_typed,
            class,
            count(*) as value_rows,
            row_number() over (partition by as_typed, class order by count(*) desc) as place
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
    having max(value_rows) * @parts >= sum(case when place >= @l then value_rows else 0 end) * @c
)
or exists (
    select 1
    from @this_model
    group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    having @missing = 'none' and count(@sensitive) = 0
)
