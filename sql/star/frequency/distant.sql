-- The frequency set of a node, counted in the source's database. Joins with the dimension tables, which were copied to
-- this database, yield the codes of a row.
--
-- values    the codes at the node's levels, as value_1, value_2, …
-- checksum  store/checksum of the kept cells; 0 if it is not needed
-- source    the source
-- maps      one star/recoding/recode#map per quasi-identifier
-- drawn     #drawn for the rows of samples alone; empty for all rows
-- codes     the columns with the codes, for the GROUP BY
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
-- Restriction to the rows of some samples.
--
-- samples  one #sample or #rare per sample
where {samples}

-- section: sample
-- Condition for a row in a sample of whole value groups of a node. A hash of the codes at the node is the same for all
-- rows of a value group; groups with a hash divisible by the number of parts are in the sample. The sample also
-- contains whole value groups of all nodes beneath, as each of these groups lies within one value group of the node.
--
-- terms  the sum of one #term per attribute below its top
-- parts  the number of parts: about one of so many value groups is in the sample
({terms}) % 1000003 % {parts} = 0

-- section: rare
-- Condition for a row in a sample of the value groups of a node expected to be small. The sample also contains whole
-- value groups of all nodes beneath.
--
-- terms  the sum of the weights (#weight) of the row's codes at the node's levels, for attributes below their top
-- least  the least weight of a value group in the sample
({terms}) >= {least}

-- section: weighted
-- A dimension table with a weight per level: the rarity of the leaf's ancestor, to find value groups expected to be
-- small.
--
-- columns  the dimension table's columns
-- weights  one #weight per level
-- table    the dimension table of the attribute: codes and texts at every level
-- leaves   the frequency set of the attribute alone, with its codes at every level
-- leaf     the column of leaves with the leaf code
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
-- code  the column with the value's code, in the frequency set of the attribute alone
cast(round(-20 * ln(
    sum(leaves.frequency) over (partition by {code}) / sum(leaves.frequency) over ()
)) as bigint)

-- section: term
-- The amount that an attribute adds to the hash of a value group.
--
-- code    the attribute's code at the node's level
-- factor  the attribute's factor, different for each attribute
{code} * {factor}

-- section: shortfall
-- Number of rows in violating value groups of a node, counted in the source's database.
--
-- node       the node's number
-- violating  the condition for a violating value group
-- groups     star/frequency/distant: the node's frequency set
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
-- The star of a frequency set fetched from the source's database. Below the levels of the fetched node, the code of a
-- value is the code of the first leaf under it.
--
-- levels   the level columns, such as zip_2, sex_0
-- brought  star/frequency/distant
-- members  one star/recoding/single_dimension#member per attribute
--
-- One row per value group. sum(frequency) is the same as in the frequency set.
select
    {levels},
    brought.frequency,
    brought.checksum
from {brought} as brought
{members}

-- section: mixed
-- The levels with a value whose text equals the text of some leaves under it, but not of all. At these levels, a cell
-- is modified or not depending on its leaf.
--
-- generalization  the generalization relation: the ancestors of all members
--
-- One row per attribute and such level.
select distinct
    dimension,
    level
from {generalization}
group by
    dimension,
    level,
    ancestor
having bool_or(modified) and not bool_and(modified)
