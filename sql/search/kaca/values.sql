-- How the values of a class are written, and what is told from them: which child to follow at each level, as digits in
-- the bits of words. Pieces of several statements.
--
-- They are a compiled form of a join with the hierarchy tables: two values meet at the lowest level, not beneath their
-- own, at which their leaves have one ancestor,
--     select min(one.level)
--     from generalization as one
--     join generalization as two using (dimension, level, ancestor)
--     where one.dimension = attribute
--         and one.code = seeker.code
--         and two.code = other.code
--         and one.level >= greatest(seeker.level, other.level)
-- and that is where the highest digit differs. tests/search/test_kaca_joins.py holds both side by side.

-- section: told
-- What follows where the digit of a level is told.
--
-- word    the word that the digit is in
-- bits    the digit's bits
-- number  what follows
when ({word} & {bits}) <> 0 then {number}

-- section: above
-- What follows from the highest digit of an attribute that is told: where a seeker and another class meet, above it.
--
-- told  one #told per level, the highest first
-- leaf  what follows where none is
case
    {told}
    else cast({leaf} as bigint)
end

-- section: by_level
-- A number that goes by the level: how far it is from the leaves (Definition 5), or the bits of a value there.
--
-- numbers  one per level, the leaves first
-- level    the level
([{numbers}])[{level} + 1]

-- section: met
-- Where a seeker meets another class: above the highest digit in which they differ, or that one of them does not have.
--
-- word   the word of digits
-- marks  the word of marks
xor(seeker.{word}, other.{word}) | seeker.{marks} | other.{marks}

-- section: kept
-- Some bits of a word.
--
-- word  the word
-- bits  the bits
({word} & {bits})

-- section: total
-- The sum over the attributes, in 64 bits. It begins with a zero of them: a sum of numbers that are written out is one
-- of 32 bits where each of them is, and overflows.
--
-- attributes  one piece per attribute
(cast(0 as bigint) + {attributes})
