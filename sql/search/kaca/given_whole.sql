-- How many rows a class of a block gives a seeker, at least: all of them.
least_frequency
