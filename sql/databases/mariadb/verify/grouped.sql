-- section: size
-- The rows of a class's group by a QID.
--
-- values  the QID's columns of the classes
cast(sum(size) over (partition by {values}) as signed)
