-- A cell of a union with the tag of its member: the member alone reads 1, be it a number or a text.
--
-- cell     the cell
-- members  store/cell/exact of #member, one per member of the union
[cast(union_tag({cell}) as varchar), {members}]

-- section: member
-- A member of a cell of a union; missing if the cell has another one.
--
-- cell    the cell
-- member  the member's name
union_extract({cell}, {member})
