-- The blocks of one node of the rollup index: classes whose values have the same ancestors there.
--
-- parents  what tells the blocks of the next coarser node apart
-- shared   one #shared per word of digits and of marks
-- boxes    the bits that the closest common generalization of all classes of a block has, as box_1, box_2, …
-- apart    one #apart per word of digits, as apart_1, apart_2, …
-- keys     what tells the blocks apart
-- values   word_1, …, marks_1, …
-- classes  the classes
--
-- One row per block: what bounds the distance of a seeker to any class in it. A block goes by its first class.
select
    block,
    min(block) over (partition by {parents}) as parent,
    {values},
    {boxes},
    least_frequency,
    most_frequency,
    most_climbed
from (
    select
        min(id) as block,
        {shared},
        {apart},
        min(frequency) as least_frequency,
        max(frequency) as most_frequency,
        max(climbed) as most_climbed
    from {classes}
    group by {keys}
)

-- section: apart
-- The bits of a word in which classes of a block are apart.
--
-- word  the word
xor(bit_or({word}), bit_and({word}))

-- section: shared
-- The bits of a word that all classes of a block have. Of marks these are those of the lowest level.
--
-- column  the word
bit_and({column})
