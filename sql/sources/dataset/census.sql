-- A generated census table with Adult's fifteen columns: each value has the same frequency as in Adult.
--
-- marginals  a relation (column, value, frequency), as text: for each column but fnlwgt and education-num,
--            the number of people with each value; every column's frequencies add up to the same number
-- seed       an integer: the same seed and marginals give the same rows, whatever the threads
--
-- One row per person; the number of rows is the sum of one column's frequencies. The frequency of each value is exactly
-- the one in marginals; only the combination of values in a row is random. For every column, the people are sorted by a
-- random score, and the column's values are assigned in this order, lowest first. The scores of several columns share
-- latent variables, so education correlates with salary, age with marriage, and race with country.
with
counts as (
    select
        "column",
        value,
        cast(frequency as bigint) as frequency
    from {marginals}
),

ladders("column", ladder) as (
    values
        ('workclass', [
            'Without-pay', 'Private', 'Self-emp-not-inc', 'Local-gov', 'State-gov', 'Federal-gov', 'Self-emp-inc'
        ]),
        ('education', [
            'Preschool', '1st-4th', '5th-6th', '7th-8th', '9th', '10th', '11th', '12th', 'HS-grad',
            'Some-college', 'Assoc-voc', 'Assoc-acdm', 'Bachelors', 'Masters', 'Prof-school', 'Doctorate'
        ]),
        ('marital-status', [
            'Never-married', 'Married-spouse-absent', 'Separated', 'Divorced', 'Widowed',
            'Married-civ-spouse', 'Married-AF-spouse'
        ]),
        ('occupation', [
            'Priv-house-serv', 'Other-service', 'Handlers-cleaners', 'Farming-fishing', 'Machine-op-inspct',
            'Transport-moving', 'Craft-repair', 'Armed-Forces', 'Adm-clerical', 'Protective-serv', 'Sales',
            'Tech-support', 'Exec-managerial', 'Prof-specialty'
        ]),
        ('relationship', [
            'Own-child', 'Other-relative', 'Not-in-family', 'Unmarried', 'Wife', 'Husband'
        ]),
        ('sex', ['Female', 'Male']),
        ('salary-class', ['<=50K', '>50K'])
),

-- Pull of each latent on a column's order, against its own noise in [0, 1). A pull of 10 outweighs the rest: with
-- Adult's marginals husbands and wives are married, husbands men, wives women.
pulls("column", standing, maturity, origin, husband, wife) as (
    values
        ('age',            0.0, 1.2, 0.0,  0.0,   0.0),
        ('workclass',      0.3, 0.2, 0.0,  0.0,   0.0),
        ('education',      2.0, 0.0, 0.0,  0.0,   0.0),
        ('marital-status', 0.0, 1.0, 0.0, 10.0,  10.0),
        ('occupation',     1.5, 0.0, 0.0,  0.0,   0.0),
        ('race',           0.0, 0.0, 2.0,  0.0,   0.0),
        ('sex',            0.0, 0.0, 0.0, 10.0, -10.0),
        ('capital-gain',   0.4, 0.2, 0.0,  0.0,   0.0),
        ('capital-loss',   0.4, 0.2, 0.0,  0.0,   0.0),
        ('hours-per-week', 0.3, 0.2, 0.0,  0.3,   0.0),
        ('native-country', 0.0, 0.0, 3.0,  0.0,   0.0),
        ('salary-class',   1.0, 0.2, 0.0,  0.7,   0.7)
),

-- One row per column and position in the column's order, from 0: each value as often as its frequency.
-- Values rise along the column's ladder; without one numbers rise by size, words from the most frequent to the rarest.
shares as (
    select
        "column",
        unnest(range(up_to - frequency, up_to)) as place,
        value
    from (
        select
            "column",
            value,
            frequency,
            cast(sum(frequency) over upward as bigint) as up_to
        from counts
        left join ladders using ("column")
        window upward as (
            partition by "column"
            order by
                list_position(ladder, value) nulls last,
                try_cast(value as bigint) nulls last,
                frequency desc,
                value
            rows unbounded preceding
        )
    )
),

-- One row per person and topic, noise in [0, 1). md5 stays the same from release to release; hash() does not.
draws as (
    select
        person,
        topic,
        cast('0x' || left(md5(concat_ws('/', cast({seed} as bigint), topic, person)), 8) as bigint)
            / cast(4294967296 as double) as noise
    from (
        select unnest(generate_series(1, cast(sum(frequency) as bigint))) as person
        from counts
        where "column" = 'relationship'
    )
    cross join (
        select "column" as topic from pulls
        union all
        values ('standing'), ('maturity'), ('origin'), ('relationship'), ('fnlwgt')
    )
),

-- One row per person.
latents as (
    select
        person,
        max(noise) filter (where topic = 'standing') as standing,
        max(noise) filter (where topic = 'maturity') as maturity,
        max(noise) filter (where topic = 'origin') as origin,
        max(noise) filter (where topic = 'relationship') as kinship,
        max(noise) filter (where topic = 'fnlwgt') as weight
    from draws
    group by person
),

-- One row per person. Relationship is handed out first, because marital status, sex and others follow from it. Every
-- line is ordered by person at last: otherwise equal scores would depend on the threads.
families as (
    select
        latents.*,
        value as relationship
    from (
        select
            *,
            row_number() over (order by maturity + kinship, person) - 1 as place
        from latents
    ) as latents
    join (select place, value from shares where "column" = 'relationship') using (place)
),

-- One row per person and column.
lines as (
    select
        person,
        "column",
        row_number() over (
            partition by "column"
            order by
                noise
                    + pulls.standing * families.standing
                    + pulls.maturity * families.maturity
                    + pulls.origin * families.origin
                    + pulls.husband * cast(relationship = 'Husband' as integer)
                    + pulls.wife * cast(relationship = 'Wife' as integer),
                person
        ) - 1 as place
    from draws
    join pulls on topic = "column"
    join families using (person)
),

-- One row per person, with the assigned value of each column, still as text.
people as (
    select
        person,
        max(value) filter (where "column" = 'age') as age,
        max(value) filter (where "column" = 'workclass') as workclass,
        max(value) filter (where "column" = 'education') as education,
        max(value) filter (where "column" = 'marital-status') as "marital-status",
        max(value) filter (where "column" = 'occupation') as occupation,
        max(value) filter (where "column" = 'race') as race,
        max(value) filter (where "column" = 'sex') as sex,
        max(value) filter (where "column" = 'capital-gain') as "capital-gain",
        max(value) filter (where "column" = 'capital-loss') as "capital-loss",
        max(value) filter (where "column" = 'hours-per-week') as "hours-per-week",
        max(value) filter (where "column" = 'native-country') as "native-country",
        max(value) filter (where "column" = 'salary-class') as "salary-class"
    from lines
    join shares using ("column", place)
    group by person
)

-- education-num is the rung on the ladder; fnlwgt is cubed, for small weights are the common ones in Adult.
select
    cast(age as integer) as age,
    workclass,
    cast(12285 + floor(weight * weight * weight * (1490400 - 12285 + 1)) as integer) as fnlwgt,
    education,
    cast(list_position((select ladder from ladders where "column" = 'education'), education) as integer)
        as "education-num",
    "marital-status",
    occupation,
    relationship,
    race,
    sex,
    cast("capital-gain" as integer) as "capital-gain",
    cast("capital-loss" as integer) as "capital-loss",
    cast("hours-per-week" as integer) as "hours-per-week",
    "native-country",
    "salary-class"
from people
join families using (person)
order by person
