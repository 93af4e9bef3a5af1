-- section: shuffled
-- A random order, independent of the source's order.
rand()
