-- A value finds what it becomes.
--
-- mask    search/tdr/applied or search/tdr/applied_intervals
-- column  the value
left join {mask}
    on {mask}.value is not distinct from {column}
