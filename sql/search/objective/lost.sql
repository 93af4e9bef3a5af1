-- What one attribute adds to the loss of a value group.
--
-- loss        the loss of its value
-- attributes  how many attributes there are
{loss} / {attributes}
