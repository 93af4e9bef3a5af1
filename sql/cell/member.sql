-- A member of a cell of a union; missing where the cell has another one.
--
-- cell    the cell
-- member  the member's name
union_extract({cell}, {member})
