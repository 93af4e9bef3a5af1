-- The leaf that a path leads to.
--
-- paths  mondrian/paths, which goes by its name
-- path   the part's path column
left join {paths}
    on {paths}.path = part.{path}
