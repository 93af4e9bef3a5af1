-- The value that stands for every value.
'*'
