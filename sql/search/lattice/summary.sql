-- What one iteration left.
--
-- nodes      C of this iteration
-- survivors  S of this iteration
--
-- One row: the numbers of candidates and of k-anonymous nodes.
select
    (select count(*) from {nodes}) as candidates,
    (select count(*) from {survivors}) as anonymous
