-- 2,000 made-up members of a health plan, a row for each; the same rows every time.
drop table if exists members;
create table members as
select
    100000 + n as member,
    date '1936-01-01' + mod(a, 26000) as born,
    case when mod(b, 100) < 52 then 'female' else 'male' end as sex,
    '12' || lpad((mod(b, 5) * 100 + mod(a, 7) * 10 + mod(b, 3))::text, 3, '0') as zip,
    (array['basic', 'basic', 'basic', 'family', 'family', 'premium'])[1 + mod(c, 6)] as plan
from
    generate_series(1, 2000) as n,
    lateral (
        select
            ('x' || substr(md5('a' || n), 1, 7))::bit(28)::integer as a,
            ('x' || substr(md5('b' || n), 1, 7))::bit(28)::integer as b,
            ('x' || substr(md5('c' || n), 1, 7))::bit(28)::integer as c
    ) as chance;
