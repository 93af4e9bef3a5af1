-- Put staged tables in the place of old ones, all at once: a reader sees all new or all old ones. Grants and views go
-- by the name and stay.
--
-- renames  #renamed, from first to last
rename table
    {renames}
