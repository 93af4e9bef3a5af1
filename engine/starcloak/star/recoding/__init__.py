"""The recoding: the answer of a search, as a relation over the star, and what makes a release of it."""
