-- An order that nothing tells, least of all the source's order.
random()
