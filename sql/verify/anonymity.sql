-- A(QID): the smallest class of a QID (Fung, Wang, Yu 2007, Definition 1).
--
-- sizes  verify/regrouped
--
-- A number; missing where there is no row.
(
    select min(size)
    from (
        {sizes}
    )
)
