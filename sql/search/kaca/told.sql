-- What follows where the digit of a level is told.
--
-- word    the word that the digit is in
-- bits    the digit's bits
-- number  what follows
when ({word} & {bits}) <> 0 then {number}
