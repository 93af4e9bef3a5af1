-- In any case.
true
