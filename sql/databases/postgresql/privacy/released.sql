-- section: text
-- A sensitive value as text.
--
-- sensitive  the sensitive attribute, in its grouped form
cast({sensitive} as text) collate "C"
