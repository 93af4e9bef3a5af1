-- section: size
-- Number of rows that agree with a class in the columns of a QID.
--
-- values  the QID's columns of the classes
cast(sum(size) over (partition by {values}) as signed)
