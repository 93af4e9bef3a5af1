-- A number as text, without zeros at the end.
--
-- leaf  the leaf
regexp_replace(cast({leaf}.number as varchar), '\.?0+$', '')
