-- A cell of a union type: the tag of its member and the members' texts. Without the tag, a number 1 and a text 1 would
-- be equal.
--
-- cell     the cell
-- members  store/cell/exact of #member, one per member of the union
[cast(union_tag({cell}) as varchar), {members}]

-- section: member
-- A member of a cell of a union type; missing if the cell has a value of another member.
--
-- cell    the cell
-- member  the member's name
union_extract({cell}, {member})
