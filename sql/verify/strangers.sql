-- How many values of a staged column are no value of its levels.
--
-- cell    its column of the staged classes
-- table   the attribute's dimension table
-- levels  the columns of its levels
--
-- A number. Texts are compared, as a recipient reads them.
(
    select count(*)
    from (
        select distinct {cell} as released
        from staged
    ) as present
    where not exists (
        select 1
        from (
            select distinct unnest([{levels}]) as known
            from {table}
            where present
        ) as member
        where member.known is not distinct from present.released
    )
)
