-- Every class as a block of its own.
--
-- values   word_1, …, marks_1, …
-- classes  the classes
--
-- One row per class.
(
    select
        id as block,
        {values},
        frequency as least_frequency,
        frequency as most_frequency,
        climbed as most_climbed
    from {classes}
)
