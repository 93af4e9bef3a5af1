-- Some of the dimensions of a wide table, joined to its rows apart from the others. DuckDB takes seconds to plan some
-- hundred joins in one statement, and each join passes all columns on. A part is complete before it meets the others.
--
-- part   the name of the part
-- rows   the relation
-- alias  its name in the joins
-- key    its column with a number per row
-- cells  the columns of the part's dimensions
-- joins  their joins
--
-- A join that keeps the rows as they are.
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
