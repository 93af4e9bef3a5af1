-- How far cells moved, summed. The cells of a suppressed row count as generalized to the root. A cell with a range of
-- its own has moved as much of its one step as the share of the other leaves that the range covers.
--
-- moved  how far its level is from the leaf (0 … 1)
sum(frequency * case when suppressed then 1 else coalesce(share, {moved}) end)
