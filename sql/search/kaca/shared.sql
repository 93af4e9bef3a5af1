-- The bits of a word that all classes of a block have. Of marks these are those of the lowest level.
--
-- column  the word
bit_and({column})
