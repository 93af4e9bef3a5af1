-- A cell of a union with the tag of its member: the member alone reads 1, be it a number or a text.
--
-- cell     the cell
-- members  cell/exact of cell/member, one per member of the union
[cast(union_tag({cell}) as varchar), {members}]
