-- A large census of people drawn with replacement: the distinct combinations stop growing once everybody was drawn.
--
-- $seed     an integer: the same seed, rows and persons give the same rows in some order
-- $rows     how many rows
-- $persons  how many persons there are to draw from
-- numbered  numbered.sql
--
-- One row per draw. md5 stays the same from release to release; hash() does not.
select numbered.* exclude (place)
from (
    select md5_number_lower(concat_ws('/', cast($seed as bigint), draw)) % cast($persons as ubigint) as place
    from range(cast($rows as bigint)) as draws (draw)
)
join {numbered} as numbered using (place)
