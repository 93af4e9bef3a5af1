-- What follows from where a seeker and another class meet in the tree of one attribute: from the highest digit in which
-- they differ.
--
-- climbs  one kaca/climb per level, the highest first
case
        {climbs}
        else cast(0 as bigint)
    end
