-- Refuse, before a script writes its release, a file that would be lost: one that is there already stays.
--
-- path   the file of the release, as a pattern
-- aside  where DuckDB has it until it is whole, as a pattern
--
-- One row, or an error, which ends the transaction.
select
    case
        when count(*) > 0
        then error('there is a file already where the release goes, or one of its name after tmp_: nothing is released')
        else true
    end as absent
from glob([{path}, {aside}])
