-- A row of the base frequency set finds the number of its sensitive value, if it has one.
--
-- codes  privacy/codes, which goes by its name
-- value  its column of the base frequency set
left join {codes}
    on {codes}.value = base.{value}
