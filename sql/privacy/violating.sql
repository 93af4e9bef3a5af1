-- That a value group violates one of the models that it must satisfy.
--
-- models  one condition per model
({models})
