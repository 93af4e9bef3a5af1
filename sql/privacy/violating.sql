-- Condition for a value group that violates one of its models.
--
-- models  one condition per model
({models})
