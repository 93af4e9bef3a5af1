-- The seekers with the blocks of a node beneath those that are left for them.
--
-- left     search/kaca/beam or search/kaca/near of the node above
-- seekers  the seekers
-- blocks   search/kaca/blocks of the node
{left} as remaining
join {seekers} as seeker using (id)
join {blocks} as other
    on other.parent = remaining.block
