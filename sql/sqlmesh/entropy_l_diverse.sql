-- An audit: in every class of the quasi-identifiers the entropy of a sensitive column is that of l equally frequent
-- values, or more (entropy l-diversity). A missing value is none, unless missing says 'value'. What is too near to the bound for floating point
-- fails.
--
-- It yields one row where it fails, and no count.
AUDIT (
  name entropy_l_diverse,
  dialect duckdb,
  defaults (missing = 'none')
);

select @l as required
where exists (
    select 1
    from (
        select
            as_typed,
            class,
            count(*) as value_rows
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
    having sum(value_rows) * (ln(sum(value_rows)) - ln(@l) - 0.000000001) < sum(value_rows * ln(value_rows))
)
or exists (
    select 1
    from @this_model
    group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    having @missing = 'none' and count(@sensitive) = 0
)
