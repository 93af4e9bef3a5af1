-- Number of differences between a table and the release once published there: classes with another number of rows, and
-- sensitive values of a class in only one of the two.
--
-- cells    cell_1, cell_2, …
-- classes  releases/recodings/classes of the release
-- tuples   releases/recodings/tuples of the release
-- texts    the cells of the table's classes as texts, as cell_1, cell_2, …
-- there    the classes of the table
-- match    one store/same per attribute
-- held     releases/recodings/class_values of the release
-- values   releases/recodings/class_values of the table
--
-- One row.
select
    (
        select count(*)
        from (
            select
                {cells},
                sum(tuples.rows) as rows
            from {classes} as classes
            join {tuples} as tuples using (class)
            group by all
        ) as released
        full join (
            select
                {texts},
                sum(there.size) as rows
            from {there} as there
            group by all
        ) as found
            on {match}
        where released.rows is distinct from found.rows
    ) + (
        select count(*)
        from (
            (
                from {held}
                except
                from {values}
            )
            union all
            (
                from {values}
                except
                from {held}
            )
        )
    ) as different

-- section: numbers
-- Replace booleans in an attribute's cells by 0 and 1, as stored by a database without booleans.
--
-- relation  releases/recodings/classes
-- column    the cells
update {relation}
set {column} = cast(cast({column} as boolean) as integer)
where {column} in ('true', 'false')

-- section: numbers_held
-- Replace booleans in the values of a sensitive attribute by 0 and 1.
--
-- held    releases/recodings/class_values
-- number  the attribute's number, from 1
update {held}
set value = cast(cast(value as boolean) as integer)
where attribute = {number} and value in ('true', 'false')
