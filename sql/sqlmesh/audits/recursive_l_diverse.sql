-- An audit: in every class of the quasi-identifiers the most frequent value of a sensitive column has fewer rows than c
-- / parts times all values from the l-th most frequent on (recursive (c,l)-diversity). A missing value does not count
-- as a value, unless missing is 'value'.
--
-- The audit returns one row if it fails, and shows no count.
AUDIT (
  name recursive_l_diverse,
  dialect duckdb,
  defaults (missing = 'none', parts = 1)
);

select @l as required
where @in_some_class(
    @this_model, @quasi_identifiers, @sensitive, @missing,
    max(value_rows) * @parts >= sum(case when place >= @l then value_rows else 0 end) * @c
)
