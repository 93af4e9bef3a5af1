-- The number of the one node that was found, if any.
--
-- $number  the number
--
-- One row, or none.
select cast($number as bigint) as number
where $number is not null
