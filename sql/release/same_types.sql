-- The columns of a source have the types that they had when a model was made, or it was an error.
--
-- relation  the source
-- types     one release/typed per column that is not a text
(
    select
        case
            when count(*) filter (where not ({types})) = 0
            then true
            else error('not the source that this model was made for, but of other types: nothing is released')
        end
    from {relation}
)
