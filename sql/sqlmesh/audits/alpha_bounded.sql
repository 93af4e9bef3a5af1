-- An audit: no value of a sensitive column (or none of the listed values) has a larger share than alpha / parts of the
-- rows of a class of the quasi-identifiers ((alpha,k)-anonymity). A missing value does not count as a value, unless
-- missing is 'value'. A cell is a listed value if its type calls them equal, such as 1 and 1.0, or if their texts are
-- equal; it is an error if the column's type cannot read a listed value.
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
    value_rows * @parts > size * @alpha and named,
    @values
)
