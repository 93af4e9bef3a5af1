-- The classes that the next steps choose.
--
-- chosen   search/kaca/chosen
-- classes  the classes
--
-- One row per class.
(
    select *
    from {classes}
    semi join {chosen} using (id)
)
