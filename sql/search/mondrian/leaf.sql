-- The leaf that a path leads to.
--
-- paths  search/mondrian/paths
-- leaf   its name
-- path   the path
left join {paths} as {leaf}
    on {leaf}.path = {path}
