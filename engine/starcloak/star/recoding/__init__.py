"""The recoding: the answer of a search, as a relation over the star, and the statements that make a release of it."""
