-- What was counted on a release is there, or it was an error.
--
-- recount  release/recount
(
    select recounted
    from (
        {recount}
    )
) is not null
