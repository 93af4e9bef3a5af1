-- section: size
-- The rows of the group that a class belongs to by a QID.
--
-- values  the QID's columns of the classes
cast(sum(size) over (partition by {values}) as signed)
