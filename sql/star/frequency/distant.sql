-- The frequency set of a node, counted in the source's database. The rows find their codes in dimensions sent there.
--
-- values    the codes at the node's levels, as value_1, value_2, …
-- checksum  store/checksum of the kept cells; 0 if it is not needed
-- source    the source
-- maps      one star/recoding/recode#map per quasi-identifier
-- drawn     #drawn, or nothing if all rows count
-- codes     the codes, in their grouped form
--
-- One row per value group. sum(frequency) is the number of counted rows.
select
    {values},
    {checksum} as checksum,
    cast(count(*) as bigint) as frequency
from {source} as source
{maps}
{drawn}
group by {codes}

-- section: drawn
-- Only rows of some samples.
--
-- samples  one #sample or #rare each
where {samples}

-- section: sample
-- Condition for a row in a sample of whole groups: its number at a node, the same for all rows of its value group
-- there, falls into one part of several. Groups of a node beneath lie within those, so the sample has them as a whole.
--
-- terms  one #term per attribute below its top, one added to the other
-- parts  how many parts there are
({terms}) % 1000003 % {parts} = 0

-- section: rare
-- Condition for a row in a sample of the value groups expected to be small: of a node, and of all nodes beneath.
--
-- terms  the weight of the code at the node's level, per attribute below its top, one added to the other
-- least  the least weight of a value group in the sample
({terms}) >= {least}

-- section: weighted
-- A dimension table, with the rarity of the values above its leaves: weights to find groups expected to be small.
--
-- columns  the columns
-- weights  one #weight per level
-- table    the dimension table
-- leaves   the frequency set of the attribute alone, by its levels
-- leaf     its leaf column there
--
-- One row per leaf of the source.
select
    {columns},
    {weights}
from {table} as dimension
join {leaves} as leaves
    on {leaf} = dimension.ancestor_0
where dimension.present

-- section: weight
-- Rarity of a value: minus the logarithm of its share of the rows, in twentieths.
--
-- code  its column of the frequency set of the attribute alone
cast(round(-20 * ln(
    sum(leaves.frequency) over (partition by {code}) / sum(leaves.frequency) over ()
)) as bigint)

-- section: term
-- The amount added by an attribute to a value group's number.
--
-- code    its code at the node's level
-- factor  a number of its own
{code} * {factor}

-- section: shortfall
-- Number of rows in violating value groups of a node, counted in the source's database.
--
-- node       the node's number
-- violating  the condition for a violating value group
-- groups     star/frequency/distant
--
-- One row.
select
    {node} as node,
    cast(coalesce(sum(case when {violating} then frequency else 0 end), 0) as bigint) as outliers
from (
    {groups}
) as counted

-- section: rows
-- Number of rows of the source.
--
-- source  the source
--
-- One row.
select cast(count(*) as bigint) as rows
from {source} as source

-- section: star
-- The star of a fetched frequency set: beneath its node a value goes by the first leaf under it.
--
-- levels   the level columns, such as zip_2, sex_0
-- brought  star/frequency/distant
-- members  one star/recoding/single_dimension#member per attribute
--
-- One row per value group. sum(frequency) is that of the frequency set.
select
    {levels},
    brought.frequency,
    brought.checksum
from {brought} as brought
{members}

-- section: mixed
-- The levels at which some values have the text of a leaf under them and not of others: the recoding of a cell depends
-- on its leaf there.
--
-- generalization  the generalization relation
--
-- One row per attribute and level.
select distinct
    dimension,
    level
from {generalization}
group by
    dimension,
    level,
    ancestor
having bool_or(modified) and not bool_and(modified)
