"""δ-presence: of every class of the population, a share between two bounds is in the table"""
