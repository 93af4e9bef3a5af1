-- The missing value.
null
