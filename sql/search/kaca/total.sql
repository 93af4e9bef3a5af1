-- The sum over the attributes, in 64 bits. It begins with a zero of them: a sum of numbers that are written out is one
-- of 32 bits where each of them is, and overflows.
--
-- attributes  one piece per attribute
(cast(0 as bigint) + {attributes})
