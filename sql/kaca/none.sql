-- No ancestor at this level: the value is above it.
cast(null as uinteger)
