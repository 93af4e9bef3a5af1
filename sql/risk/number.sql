-- The number that a text is; missing where it is none.
try_cast(sensitive as double)
