-- The rows of a class.
count(*) as size
