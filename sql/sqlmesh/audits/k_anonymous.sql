-- An audit: no class of the quasi-identifiers has fewer than k rows. Missing values are equal to each other. It is an
-- error if DuckDB has a macro named like a built-in function, because a count would call it.
--
-- The audit returns one row if it fails, and never shows counts from 1 to k - 1.
AUDIT (
  name k_anonymous,
  dialect duckdb
);

select
    @k as required_k,
    case when violating_classes >= @k then violating_classes end as violating_classes,
    case when violating_rows >= @k then violating_rows end as violating_rows
from (
    select
        count(*) as violating_classes,
        sum(size) as violating_rows
    from (
        select count(*) as size
        from @this_model
        group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    ) as classes
    where size < @k
) as violating
where violating_classes > 0
union all
select
    @k as required_k,
    null as violating_classes,
    null as violating_rows
where @builtins_replaced()
