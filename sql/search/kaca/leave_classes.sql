-- The classes that changed, or that are suppressed, go.
--
-- classes  the classes
-- column   which of them
-- gone     the relation that tells
delete from {classes}
where id in (
    select {column}
    from {gone}
)
