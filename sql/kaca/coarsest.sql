-- Every seeker with every block of the coarsest node, or every class.
--
-- seekers  the seekers
-- blocks   kaca/blocks of the coarsest node, or kaca/everyone
{seekers} as seeker
cross join {blocks} as other
