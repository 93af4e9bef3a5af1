-- A part's child of a value of one attribute.
--
-- dimension  the attribute's position
-- path       its path column
when {dimension} then {path} >> cut.shift
