-- That a value is asked about: all are.
1 = 1
