-- No node scored yet.
--
-- No row.
select
    cast(null as bigint) as node,
    cast(null as double) as bound,
    cast(null as double) as cost
where false
