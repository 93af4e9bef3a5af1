-- An order that nothing tells, least of all the source's order. A table has none that a reader may rely on.
random()
