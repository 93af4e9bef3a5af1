-- An audit: the share q of a sensitive value in a class of the quasi-identifiers and that p of the table: abs(log2(q /
-- p)) is less than delta, for every value of the table; a class without one fails (delta-disclosure privacy). A value
-- too near to the bound for floating point fails.
--
-- It yields one row if it fails, and no count.
AUDIT (
  name delta_disclosing,
  dialect duckdb,
  defaults (missing = 'value')
);

select @delta as required
where @in_some_class(
    @this_model, @quasi_identifiers, @sensitive, @missing,
    max(abs(ln(value_rows) + ln(whole) - ln(size) - ln(total))) >= @delta * ln(2) - 0.000000001
        or sum(total) < max(whole)
)
