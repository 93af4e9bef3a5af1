-- The paths of one attribute's leaves.
--
-- paths  search/kaca/paths, which goes by its name
-- leaf   the attribute's leaf column of the star
join {paths}
    on {paths}.code = {leaf}
