-- The shares of the classes that changed go.
--
-- shares  the shares
-- pieces  the pieces
delete from {shares}
where class in (
    select source
    from {pieces}
)
