-- The values of one attribute that occur, in their order.
--
-- column  the attribute's column
list_sort(list(distinct {column}))
