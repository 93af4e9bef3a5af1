-- section: text
-- A sensitive value as it reads.
--
-- sensitive  the sensitive attribute, as it is grouped
cast({sensitive} as text) collate "C"
