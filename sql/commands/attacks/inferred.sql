-- Inference attack on a kept column: number of people with a correct guess of their cell. The guess for a person is the
-- most frequent cell of the column in the classes covering the person.
--
-- value     the kept column
-- released  commands/attacks/released
-- covering  commands/attacks/covering and commands/attacks/covering#nearest
-- people    commands/attacks/people#attacked
--
-- One row: correct guesses for people in the release; for the control group; and, as a baseline, for people in the
-- release if the guess is always the most frequent cell of the whole release.
with held as (
    select
        class,
        {value} as guess,
        count(*) as rows
    from {released}
    group by all
),
guessed as (
    select
        number,
        guess
    from (
        select
            covering.number,
            held.guess,
            sum(held.rows) as rows
        from {covering} as covering
        join held
            on held.class = covering.class
        group by all
    ) as voted
    qualify row_number() over (partition by number order by rows desc, guess) = 1
),
naive as (
    select guess
    from held
    group by guess
    order by
        sum(rows) desc,
        guess
    limit 1
)
select
    count(*) filter (where not people.held_out and guessed.guess is not distinct from people.{value}),
    count(*) filter (where people.held_out and guessed.guess is not distinct from people.{value}),
    count(*) filter (where not people.held_out and naive.guess is not distinct from people.{value})
from {people} as people
join guessed
    on guessed.number = people.number
cross join naive
