-- What values have less than their share.
--
-- extra  privacy/t_closeness/extra
greatest(-{extra}, 0)
