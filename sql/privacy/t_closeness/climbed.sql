-- What is moved between the values beneath a node of the hierarchy, up to it.
--
-- level  its level
-- more   one privacy/t_closeness/more per child
-- less   one privacy/t_closeness/less per child
{level} * least({more}, {less})
