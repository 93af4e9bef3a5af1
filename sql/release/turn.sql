-- When a row of a tuple has its turn: whole numbers below 2^31, scattered by the tuple's salt. No hash that another
-- database might not have, and no product above 2^62.
--
-- copy  the row's number within its tuple
(source.{copy} * 48271 + mapping.salt) % 2147483647 * ((source.{copy} * 48271 + mapping.salt) % 2147483647) % 2147483647
