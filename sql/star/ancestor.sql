-- The code that a member's value at one level goes by: that of the first leaf under it.
--
-- level  the level's column
min(code) over (partition by {level})
