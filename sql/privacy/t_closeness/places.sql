-- The values of a sensitive attribute with their places in the order.
--
-- $texts  the values, in their order
--
-- One row per value.
select
    unnest(cast($texts as varchar[])) as text,
    unnest(range(len(cast($texts as varchar[])))) as place
