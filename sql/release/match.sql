-- A row's value at its level is that of an outlier.
--
-- outlier   the outliers' column
-- ancestor  the dimension table's column
{outlier} = {ancestor}
