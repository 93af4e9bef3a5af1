-- An audit: if a sensitive value has the share q of a class of the quasi-identifiers and the share p of the table, (q -
-- p) / p is at most beta, or, if enhanced, at most the smaller of beta and -ln p (beta-likeness). A value too near to
-- the bound for floating point fails.
--
-- The audit returns one row if it fails, and shows no count.
AUDIT (
  name beta_like,
  dialect duckdb,
  defaults (missing = 'value', enhanced = false)
);

select @beta as required
where @in_some_class(
    @this_model, @quasi_identifiers, @sensitive, @missing,
    1.0 * value_rows * whole / (1.0 * size * total) > (1 + @beta) * 0.999999999
        or @enhanced
            and 1.0 * value_rows * whole / (1.0 * size * total) > (1 + ln(whole) - ln(total)) * 0.999999999
            and total < whole
)
