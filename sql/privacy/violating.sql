-- Condition for a value group in violation of at least one privacy model.
--
-- models  one condition per model for its violation, joined by or
({models})
