-- Put staged tables in the place of old ones, all at once: whoever reads sees the ones or the others. Grants and views
-- go by the name and stay.
--
-- renames  #renamed, from first to last
rename table
    {renames}
