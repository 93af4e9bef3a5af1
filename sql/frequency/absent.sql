-- A level that a frequency set has not.
cast(null as uinteger)
