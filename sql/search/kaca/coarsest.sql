-- Every seeker with every block of the coarsest node, or every class.
--
-- seekers  the seekers
-- blocks   search/kaca/blocks of the coarsest node, or search/kaca/everyone
{seekers} as seeker
cross join {blocks} as other
