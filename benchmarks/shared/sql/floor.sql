-- What a release costs at least: rows are read and grouped, a recoding is joined to them, and they are written.
--
-- source              the file
-- columns             the released columns
-- quasi_identifiers   those that are grouped
-- k                   the least frequency
-- target              the file of the release
copy (
    with
        source as (select * from read_csv({source}, all_varchar = true)),

        recoding as (
            select
                {quasi_identifiers},
                count(*) as frequency
            from source
            group by all
        )

    select {columns}
    from source
    inner join recoding using ({quasi_identifiers})
    where frequency >= cast({k} as bigint)
) to {target} (format csv)
