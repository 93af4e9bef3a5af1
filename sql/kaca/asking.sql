-- A seeker's path. Its mark is another than that of the classes it is compared with: two equal values above the leaves
-- have their closest common generalization there, not at the leaves.
--
-- path   the path
-- other  what is added to the marks, by level
-- level  the level's column
cast({path} + ([{other}])[{level} + 1] as bigint)
