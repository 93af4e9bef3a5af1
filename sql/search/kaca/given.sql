-- How many rows a class of a block gives a seeker, at least: all of them, or a stub of as many as the seeker lacks.
--
-- k  the smallest allowed class
case
    when frequency + most_frequency - {k} < {k} then least_frequency
    else least(least_frequency, {k} - frequency)
end
