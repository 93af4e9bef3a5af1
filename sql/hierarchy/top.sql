-- Label of the top level, common to all values.
'*'
