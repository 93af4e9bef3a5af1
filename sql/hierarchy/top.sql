-- The value for all values.
'*'
