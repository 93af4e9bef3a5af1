-- The sum over the attributes, in 64 bits.
--
-- attributes  one piece per attribute
cast({attributes} as bigint)
