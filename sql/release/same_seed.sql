-- A seed has the rows that a model was made with, or it was an error.
--
-- found  release/seed_fingerprint
-- made   what it was
(
    select
        case
            when fingerprint = {made}
            then true
            else error('not the seeds that this model was made with: compile again, then dbt build')
        end
    from (
        {found}
    )
)
