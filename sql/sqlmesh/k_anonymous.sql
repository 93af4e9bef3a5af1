-- An audit: no class of the quasi-identifiers has fewer than k rows. Missing values are equal to each other.
--
-- It yields one row where it fails; counts between 1 and k - 1 are told nowhere.
AUDIT (
  name k_anonymous,
  dialect duckdb
);

select
    @k as required_k,
    case when wanting_classes >= @k then wanting_classes end as wanting_classes,
    case when wanting_rows >= @k then wanting_rows end as wanting_rows
from (
    select
        count(*) as wanting_classes,
        sum(size) as wanting_rows
    from (
        select count(*) as size
        from @this_model
        group by @EACH(@quasi_identifiers, c -> encode(cast(c as varchar)))
    ) as classes
    where size < @k
) as wanting
where wanting_classes > 0
