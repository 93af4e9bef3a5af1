-- section: text
-- A sensitive value as text.
--
-- sensitive  the sensitive attribute, in its grouped form
cast({sensitive} as char) collate utf8mb4_nopad_bin
