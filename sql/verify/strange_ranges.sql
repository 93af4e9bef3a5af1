-- How many values of a staged numeric column are no leaf, no range between two leaves, and not the top.
--
-- cell   its column of the staged classes
-- table  the attribute's dimension table
--
-- A number. The ends of a range are read from its text, as a recipient reads them.
(
    select count(*)
    from (
        select
            released,
            try_cast(regexp_extract(released, '^\[([-0-9.]+), ([-0-9.]+)\]$', 1) as decimal(38, 18)) as low,
            try_cast(regexp_extract(released, '^\[([-0-9.]+), ([-0-9.]+)\]$', 2) as decimal(38, 18)) as high
        from (
            select distinct {cell} as released
            from staged
        )
    ) as present
    where not exists (
        select 1
        from {table} as member
        where member.present
            and (
                member.level_0 is not distinct from present.released
                or member.level_1 = present.released
            )
    )
        and (
            coalesce(present.low > present.high, true)
            or not exists (
                select 1
                from {table} as member
                where member.number = present.low
            )
            or not exists (
                select 1
                from {table} as member
                where member.number = present.high
            )
        )
)
