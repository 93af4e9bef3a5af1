-- Every seeker with every block of the coarsest node.
--
-- seekers  the seekers
-- blocks   kaca/blocks of the coarsest node
{seekers} as seeker
cross join {blocks} as other
