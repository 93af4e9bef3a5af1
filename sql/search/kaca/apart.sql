-- The bits of a word in which classes of a block are apart.
--
-- word  the word
xor(bit_or({word}), bit_and({word}))
