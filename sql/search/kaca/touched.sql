-- The classes that offers touch.
--
-- offers  the offers
--
-- Two rows per offer.
select id as class from {offers}
union all
select partner from {offers}
