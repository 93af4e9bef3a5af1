-- A random number of one attribute in one variation of a record.
--
-- $seed     an integer
-- position  the attribute's
md5_number_upper(concat_ws('/', cast($seed as bigint), place, variation, {position}))
