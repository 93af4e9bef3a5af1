-- What the frequency of one value adds to a tuple's: where values are independent, the logarithms add up.
--
-- frequency  the value's frequency
ln({frequency})
