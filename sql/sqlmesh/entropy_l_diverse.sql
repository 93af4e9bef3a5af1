-- An audit: in every class of the quasi-identifiers the entropy of a sensitive column is that of l equally frequent
-- values, or more (entropy l-diversity). A missing value is a value. What is too near to the bound for floating
-- point fails.
--
-- It yields one row where it fails, and no count.
AUDIT (
  name entropy_l_diverse,
  dialect duckdb
);

select @l as required_l
where exists (
    select 1
    from (
        select
            class,
            value_rows,
            row_number() over (partition by class order by value_rows desc) as place
        from (
            select
                class,
                count(*) as value_rows
            from (
                select
                    row(@EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))) as class,
                    @sensitive as cell
                from @this_model
            ) as cells
            group by
                class,
                cell
        ) as value_counts
    ) as placed
    group by class
    having sum(value_rows) * (ln(sum(value_rows)) - ln(@l) - 0.000000001) < sum(value_rows * ln(value_rows))
)
or exists (
    select 1
    from (
        select
            class,
            value_rows,
            row_number() over (partition by class order by value_rows desc) as place
        from (
            select
                class,
                count(*) as value_rows
            from (
                select
                    row(@EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))) as class,
                    encode(cast(@sensitive as varchar)) as cell
                from @this_model
            ) as cells
            group by
                class,
                cell
        ) as value_counts
    ) as placed
    group by class
    having sum(value_rows) * (ln(sum(value_rows)) - ln(@l) - 0.000000001) < sum(value_rows * ln(value_rows))
)
