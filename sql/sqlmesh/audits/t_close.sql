-- An audit: the earth mover's distance between the values of a sensitive column in a class of the quasi-identifiers and
-- those in the table is at most t / parts, with equal distances between all values (t-closeness with equal distance). A
-- missing value is a value.
--
-- The audit returns one row if it fails, and shows no count.
AUDIT (
  name t_close,
  dialect duckdb,
  defaults (missing = 'value', parts = 1)
);

select @t as required
where @in_some_class(
    @this_model, @quasi_identifiers, @sensitive, @missing,
    sum(case when value_rows * whole > total * size then value_rows * whole - total * size else 0 end) * @parts
        > max(size) * max(whole) * @t
)
