-- What belongs to classes that changed, or that are suppressed, goes.
--
-- relation  the classes, or the shares
-- key       its column of classes
-- column    that of the relation that tells
-- gone      the relation that tells which of them
delete from {relation}
where {key} in (
    select {column}
    from {gone}
)
