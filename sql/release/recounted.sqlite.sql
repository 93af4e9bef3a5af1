-- What SQLite lets no failed recount of a script into: it has no other error that ends a transaction.
create temporary table starcloak_recounted (
    holds boolean not null,
    constraint "not the source that this script was made for: nothing is released" check (holds)
)
