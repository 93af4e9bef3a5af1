-- Some bits of a word.
--
-- word  the word
-- bits  the bits
({word} & {bits})
