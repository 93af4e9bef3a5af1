-- An audit: in every class of the quasi-identifiers the entropy of a sensitive column is that of l equally frequent
-- values, or more (entropy l-diversity). A missing value does not count as a value, unless missing is 'value'. An
-- entropy too near to the bound for floating point fails.
--
-- The audit returns one row if it fails, and shows no count.
AUDIT (
  name entropy_l_diverse,
  dialect duckdb,
  defaults (missing = 'none')
);

select @l as required
where @in_some_class(
    @this_model, @quasi_identifiers, @sensitive, @missing,
    sum(value_rows) * (ln(sum(value_rows)) - ln(@l) - 0.000000001) < sum(value_rows * ln(value_rows))
)
