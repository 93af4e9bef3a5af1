-- No verdict yet.
--
-- No row; the columns of search/lattice/verdict.
select
    cast(null as utinyint) as iteration,
    cast(null as integer) as node,
    cast(null as boolean) as root,
    cast(null as bigint) as groups,
    cast(null as bigint) as classes,
    cast(null as bigint) as outliers,
    cast(null as boolean) as anonymous
where false
