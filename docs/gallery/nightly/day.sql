-- The changes of one day: 12 members leave, one moves to another town, 40 new members come.
delete from members where mod(member, 167) = 3;
update members set zip = '12003' where member = 100500;
insert into members
select
    200000 + n,
    date '1984-01-01' + mod(n * 613, 1500),
    case when mod(n, 2) = 0 then 'female' else 'male' end,
    '1213' || mod(n, 10),
    'basic'
from generate_series(1, 40) as n;
