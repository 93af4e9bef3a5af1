-- A whole number, filled up with zeros; lpad would cut a longer one, and a negative one has no digits to lose.
--
-- $digits  the length
case
    when value >= 0 and length(cast(value as varchar)) <= $digits
    then lpad(cast(value as varchar), $digits, '0')
end
