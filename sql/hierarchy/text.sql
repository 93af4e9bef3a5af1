-- A text as it is.
value
