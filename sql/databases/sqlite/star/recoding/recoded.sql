-- section: own
-- A cell of a column that keeps its type: the source's own value, or missing if it is suppressed. In this form the
-- column keeps its declared type.
--
-- text  the text of the cell, missing if it is suppressed
-- cell  the cell of the source
(select {cell} where {text} is not null)
