-- Rows in random order, so that the release does not keep that of the source.
order by random()
