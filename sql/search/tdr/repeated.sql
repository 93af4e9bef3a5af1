-- Whether a level reads as the one beneath it, which is how a leaf near the top is padded.
--
-- text     the level
-- beneath  the level beneath it
{text} is not distinct from {beneath}
