-- An audit: no value of a sensitive column, or none of some, as they read, has more than alpha / parts of a class
-- of the quasi-identifiers ((alpha,k)-anonymity). A missing value is none, unless missing says 'value'.
--
-- It yields one row if it fails, and no count.
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
