-- The values of one level.
--
-- values  a bind: the list
unnest(cast({values} as varchar[]))
