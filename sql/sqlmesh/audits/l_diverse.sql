-- An audit: every class of the quasi-identifiers has at least l different values of a sensitive column (distinct
-- l-diversity). A missing value does not count as a value, unless missing is 'value'; missing values of
-- quasi-identifiers are equal to each other. Sensitive values count as one if they are equal by their type, such as a
-- month and thirty days, or have equal texts. It is an error if DuckDB has a macro named like a built-in function,
-- because a count would call it.
--
-- The audit returns one row if it fails, and shows no count.
AUDIT (
  name l_diverse,
  dialect duckdb,
  defaults (missing = 'none')
);

select @l as required_l
from (
    select min(diversity) as fewest
    from (
        select
            least(count(distinct @sensitive), count(distinct encode(cast(@sensitive as varchar))))
            + max(case when @missing = 'value' and @sensitive is null then 1 else 0 end) as diversity
        from @this_model
        group by @EACH(@quasi_identifiers, c -> c), @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    ) as classes
) as worst
where fewest < @l
union all
select @l as required_l
where @builtins_replaced()
