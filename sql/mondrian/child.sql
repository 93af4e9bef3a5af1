-- A part's child of the value that its region may be cut at.
--
-- paths  one mondrian/path per attribute
case cut.dimension {paths} end
