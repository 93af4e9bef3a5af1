-- That a value is asked about.
--
-- text   the value as text
-- texts  those that are
{text} in ({texts})
