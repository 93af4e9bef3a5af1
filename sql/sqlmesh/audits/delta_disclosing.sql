-- An audit: if a sensitive value has the share q of a class of the quasi-identifiers and the share p of the table,
-- abs(log2(q / p)) is less than delta, for every value of the table; a class without one of these values fails
-- (delta-disclosure privacy). A value too near to the bound for floating point fails.
--
-- The audit returns one row if it fails, and shows no count.
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
