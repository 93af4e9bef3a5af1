-- Where a seeker meets another class: above the highest digit in which they differ, or that one of them does not have.
-- Of a block only the digits count that its classes share, and the marks that they share.
--
-- word   the word of digits
-- marks  the word of marks
-- box    the bits that the classes of a block share; all bits for a class
(xor(seeker.{word}, other.{word}) & {box}) | seeker.{marks} | other.{marks}
