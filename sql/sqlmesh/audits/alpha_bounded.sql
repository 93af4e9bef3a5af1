-- An audit: no value of a sensitive column (or none of the listed values, as texts) has a larger share than alpha /
-- parts of the rows of a class of the quasi-identifiers ((alpha,k)-anonymity). A missing value does not count as a
-- value, unless missing is 'value'.
--
-- The audit returns one row if it fails, and shows no count.
AUDIT (
  name alpha_bounded,
  dialect duckdb,
  defaults (missing = 'none', parts = 1, values = ARRAY[])
);

select @alpha as required
where @in_some_class(
    @this_model, @quasi_identifiers, @sensitive, @missing,
    value_rows * @parts > size * @alpha and (len(@values) = 0 or cell in (select unnest(@values)))
)
