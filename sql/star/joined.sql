-- The join of a wide relation with a part of its dimension tables. The part is materialized: DuckDB takes seconds to
-- plan hundreds of joins in one query, and each join passes on all columns.
--
-- part   the alias of the part
-- rows   the relation
-- alias  the relation's alias in the joins
-- key    the relation's column with a unique number per row
-- cells  the columns read from the part's dimension tables
-- joins  the joins with the part's dimension tables, such as `join dimension_zip using (zip)`
join (
    with joined as materialized (
        select
            {alias}.{key} as place,
            {cells}
        from {rows} as {alias}
        {joins}
    )
    select *
    from joined
) as {part}
    on {part}.place = {alias}.{key}
