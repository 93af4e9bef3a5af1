-- The seekers with the blocks of a node beneath those that are left for them.
--
-- left     kaca/beam or kaca/near of the node above
-- seekers  the seekers
-- blocks   kaca/blocks of the node
{left} as remaining
join {seekers} as seeker using (id)
join {blocks} as other
    on other.parent = remaining.block
