-- The Adult table: both files of the UCI repository, without rows with a missing value (?).
--
-- data  the file adult.data
-- test  the file adult.test, with a remark as its first line and class labels ending in a full stop
--
-- One row per record without a ? (45,222). Cells are separated by a comma and a blank; numbers are integers.
select
    cast(age as integer) as age,
    workclass,
    cast(fnlwgt as integer) as fnlwgt,
    education,
    cast("education-num" as integer) as "education-num",
    "marital-status",
    occupation,
    relationship,
    race,
    sex,
    cast("capital-gain" as integer) as "capital-gain",
    cast("capital-loss" as integer) as "capital-loss",
    cast("hours-per-week" as integer) as "hours-per-week",
    "native-country",
    rtrim("salary-class", '.') as "salary-class"
from read_csv(
    [{data}, {test}],
    header = false,
    auto_detect = false,
    comment = '|',
    delim = ', ',
    nullstr = '?',
    columns = {
        'age': 'VARCHAR', 'workclass': 'VARCHAR', 'fnlwgt': 'VARCHAR', 'education': 'VARCHAR',
        'education-num': 'VARCHAR', 'marital-status': 'VARCHAR', 'occupation': 'VARCHAR', 'relationship': 'VARCHAR',
        'race': 'VARCHAR', 'sex': 'VARCHAR', 'capital-gain': 'VARCHAR', 'capital-loss': 'VARCHAR',
        'hours-per-week': 'VARCHAR', 'native-country': 'VARCHAR', 'salary-class': 'VARCHAR'
    }
)
where workclass is not null
    and occupation is not null
    and "native-country" is not null
