-- A part's child of the value that its region may be cut at.
--
-- paths  one search/mondrian/path per attribute
case cut.dimension {paths} end
