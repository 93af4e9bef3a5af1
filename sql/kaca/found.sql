-- The seekers with the classes of the blocks that are left for them.
--
-- left     kaca/near of the finest node
-- seekers  the seekers
-- members  kaca/members
-- block    the finest node's column of the members
{left} as remaining
join {seekers} as seeker using (id)
join {members} as other
    on other.{block} = remaining.block
    and other.id <> remaining.id
