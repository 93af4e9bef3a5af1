-- What follows from the highest digit of an attribute that is told: where a seeker and another class meet, above it.
--
-- told  one search/kaca/told per level, the highest first
-- leaf  what follows where none is
case
    {told}
    else cast({leaf} as bigint)
end
