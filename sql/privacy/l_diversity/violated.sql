-- That a script's release has a class of too few different values of a sensitive attribute.
--
-- diversity  privacy/l_diversity/counted, by its name
-- l          the fewest allowed
coalesce(min({diversity}), {l}) < {l}
